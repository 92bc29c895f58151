// npm run certify: kills parts of a house under load, and looks whether every promise was kept; `--help` tells more.
import { become } from './program.mjs';

// Which house it is, its own option says.
delete process.env.CARILLON_HOUSE;
await become('certify/src/main.js');
