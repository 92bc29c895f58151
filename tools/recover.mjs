// node tools/recover.mjs --webhook=whk_… …: sends deliveries of a reply webhook once more
// (apps/operator/src/recover.ts).
import { become } from './program.mjs';

await become('operator/src/recover.js');
