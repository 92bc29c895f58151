// Installs and builds what is missing or stale, then becomes a program of dist/: one process, so that signals and the
// exit code need no forwarding. What there is to say of that goes to stderr: stdout is the program's.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { installDependencies, root } from './setup.mjs';

/** `file` is that of the program under apps/, such as `operator/src/admin.js`. */
export async function become(file) {
  await installDependencies();
  await build();
  await import(pathToFileURL(join(root, 'dist/apps', file)).href);
}
