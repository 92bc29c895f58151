// node tools/audit.mjs verify …: checks an export of the audit log (apps/operator/src/audit.ts).
import { become } from './program.mjs';

await become('operator/src/audit.js');
