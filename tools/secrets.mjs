// node tools/secrets.mjs --out=<new folder> …: makes the secrets of an installation (apps/operator/src/secrets.ts).
import { become } from './program.mjs';

await become('operator/src/secrets.js');
