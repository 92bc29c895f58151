// npm start: the whole service on this machine. Installs and builds what is missing or stale, then becomes the
// standalone house itself: one process, so that Ctrl-C and the exit code need no forwarding.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { installDependencies, root } from './setup.mjs';

if (process.argv.some((argument) => argument === '--help' || argument === '-h')) {
  process.stdout.write(readFileSync(join(root, 'apps/standalone/src/help.txt')));
} else {
  await installDependencies();
  await build();
  await import(pathToFileURL(join(root, 'dist/apps/standalone/src/main.js')).href);
}
