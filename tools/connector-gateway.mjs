// npm run connector-gateway: the reverse proxy beside a private service.
import { become } from './program.mjs';

await become('connector-gateway/src/main.js');
