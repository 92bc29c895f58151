// node tools/backup.mjs --out=<file> …: copies the log and the keys of a standalone (apps/operator/src/backup.ts).
import { become } from './program.mjs';

await become('operator/src/backup.js');
