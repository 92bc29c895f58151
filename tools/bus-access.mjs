// Writes the rights of the users of NATS, from the contracts and the services that use them. A spec fails while the file is
// not what this writes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { installDependencies, root } from './setup.mjs';

await installDependencies();
await build();
const { busAccessFile, natsAccounts, readBusAccess } = await import('../dist/libs/testkit/src/bus-access.js');
writeFileSync(join(root, busAccessFile), natsAccounts(readBusAccess(root)));
