// npm run certify: kills parts of a house under load, and looks whether every promise was kept; `--help` tells more.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { installDependencies, root } from './setup.mjs';

// Which house it is, its own option says.
delete process.env.CARILLON_HOUSE;
await installDependencies();
await (await import('./build.mjs')).build();
// In this process: a signal comes to it without being passed on.
await import(pathToFileURL(join(root, 'dist/apps/certify/src/main.js')).href);
