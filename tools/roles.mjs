// node tools/roles.mjs: gives each service its own role in Postgres (apps/operator/src/roles.ts).
import { become } from './program.mjs';

await become('operator/src/roles.js');
