// node tools/scavenge.mjs: frees the disk of the event store (apps/operator/src/scavenge.ts).
import { become } from './program.mjs';

await become('operator/src/scavenge.js');
