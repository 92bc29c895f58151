// npm run connector-gateway: the reverse proxy beside a private service. Installs and builds what is missing or stale,
// then becomes the program itself, so that signals and the exit code need no forwarding.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { installDependencies, root } from './setup.mjs';

await installDependencies();
await build();
await import(pathToFileURL(join(root, 'dist/apps/connector-gateway/src/main.js')).href);
