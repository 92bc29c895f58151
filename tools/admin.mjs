// node tools/admin.mjs <noun> <verb> …: what only the operator of the installation may do (apps/operator/src/admin.ts).
import { become } from './program.mjs';

await become('operator/src/admin.js');
