// npm run certify: kills parts of a house under load, and looks whether every promise was kept; `--help` tells more.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installDependencies, root } from './setup.mjs';

await installDependencies();
await (await import('./build.mjs')).build();
const { status } = spawnSync(
  process.execPath,
  [join(root, 'dist/apps/certify/src/main.js'), ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
