// npm start: the whole service on this machine, as the standalone house.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { become } from './program.mjs';
import { root } from './setup.mjs';

if (process.argv.some((argument) => argument === '--help' || argument === '-h'))
  process.stdout.write(readFileSync(join(root, 'apps/standalone/src/help.txt')));
else await become('standalone/src/main.js');
