// node tools/roles.mjs: gives each service with a URL of its own in DATABASE_URL_<SERVICE>, such as
// DATABASE_URL_READ_MODELS, the role, the password and the database that the URL names, with the rights that the
// service needs (docs/deployment.md, Roles). DATABASE_URL is of a role that may create roles and databases, on the
// same server; what is on another one is left alone. Nothing happens to what is there already, but that it gets the
// password and the rights, so that it also changes passwords.
// node tools/roles.mjs --event-store: writes the access lists of the event store of EVENTSTORE_URL, whose user is one
// of $admins, for the users of the services (docs/event-store.md, Users).
import { parseArgs } from 'node:util';
import { serviceNames } from '@carillon/contracts';
import { createRole, storeGroup, writeAccessLists } from '@carillon/event-store';
import { databaseOf } from '@carillon/runtime';
import { databaseSetting, isSet, setting } from '@carillon/settings';
import { BadUsage, parsed, runProgram } from './command-line';

const serverOf = (url: string): string => {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
};

const usage = `usage: DATABASE_URL=… DATABASE_URL_<SERVICE>=… … node tools/roles.mjs
       EVENTSTORE_URL=… node tools/roles.mjs --event-store`;

await runProgram(usage, async () => {
  const options = { 'event-store': { type: 'boolean', default: false } } as const;
  const { values } = parsed(() => parseArgs({ args: process.argv.slice(2), options }));
  if (values['event-store']) {
    await writeAccessLists(setting('EVENTSTORE_URL'));
    console.log(`the group ${storeGroup} may use the streams of the event store`);
    return;
  }
  const services = serviceNames.filter((service) => isSet(databaseSetting(service)));
  if (services.length === 0) throw new BadUsage();
  const owner = setting('DATABASE_URL');
  const ownerServer = serverOf(owner);
  for (const service of services) {
    const rows = databaseOf(service);
    const server = serverOf(rows.url);
    if (server !== ownerServer) console.log(`${service}: left alone, as ${server} is another server`);
    else console.log(`${service}: ${await createRole(owner, rows)} owns the schema ${rows.schema}`);
  }
});
