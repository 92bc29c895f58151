// node tools/rebuild.mjs <service> <projection>, or --all: rebuilds rows from the log (apps/operator/src/rebuild.ts).
import { become } from './program.mjs';

await become('operator/src/rebuild.js');
