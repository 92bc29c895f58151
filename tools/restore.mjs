// node tools/restore.mjs --in=<file> --data=<folder> …: makes a data folder from a backup
// (apps/operator/src/restore.ts).
import { become } from './program.mjs';

await become('operator/src/restore.js');
