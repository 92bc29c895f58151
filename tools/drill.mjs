// npm run drill: loses a cluster with all its data under load, and restores it (apps/certify/src/drill.ts).
import { become } from './program.mjs';

await become('certify/src/drill.js');
