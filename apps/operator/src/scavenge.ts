// node tools/scavenge.mjs [--one]: starts a scavenge on each node of EVENTSTORE_URL, which frees the disk of what
// Carillon deleted from the log; with --one on one of them, another one each day. Takes EVENTSTORE_URL from the
// environment, else that of the standalone that runs on CARILLON_DATA. The user in the URL is one of $ops or $admins.
import { parseArgs } from 'node:util';
import { startScavenges } from '@carillon/event-store';
import { setting } from '@carillon/settings';
import { parsed, runProgram } from './command-line';
import { findInstallation } from './installation';

const dayMs = 24 * 60 * 60 * 1000;

await runProgram('usage: node tools/scavenge.mjs [--one]', async () => {
  const { values } = parsed(() =>
    parseArgs({ args: process.argv.slice(2), options: { one: { type: 'boolean', default: false } } }),
  );
  findInstallation('EVENTSTORE_URL');
  for (const { node, id, isNew } of await startScavenges(
    setting('EVENTSTORE_URL'),
    values.one ? Math.floor(Date.now() / dayMs) : undefined,
  ))
    console.log(`${node}: ${isNew ? 'started the scavenge' : 'a scavenge is under way already:'} ${id}`);
});
