// node tools/admin.mjs team create --name=Acme --owner=ada@example.test: makes a workplace team, which nobody can over HTTP.
// node tools/admin.mjs accounts list [--email=ada@example.test]: the accounts, the newest first, each as a line of JSON.
// node tools/admin.mjs account verify --email=ada@example.test: says that the address is the account's own.
// node tools/admin.mjs projections list|rebuild --service=read-models --projection=inbox: how far rows are; makes them anew.
// node tools/admin.mjs dead-letters list|retry|drop --service=push --id=…: work that was given up.
// node tools/admin.mjs account delete --id=usr_…: ends an account for ever; with its key goes all its text. The id is
// noted beside every backup of this standalone, so that a restore does not bring it back (docs/operations.md).
// For who operates the installation. What changes something is written into the log first (`operation-installation`). Prints what was made or changed as JSON on stdout.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deletedFile, noteDeletion } from './backup-file.mjs';
import { asOperator } from './operator.mjs';
import { root } from './setup.mjs';

const commands = {
  'team create': {
    options: ['name', 'owner'],
    run: (ask, { Teams }, { name, owner: ownerEmail }) => ask(Teams.found, { name, ownerEmail }),
  },
  'accounts list': {
    options: [],
    optional: ['email'],
    run: async (ask, { Accounts }, { email }) => {
      for (let cursor; ;) {
        const { items, nextCursor } = await ask(Accounts.list, { limit: 100, cursor, email });
        for (const each of items) console.log(JSON.stringify(each));
        if (nextCursor === null) return undefined;
        cursor = nextCursor;
      }
    },
  },
  'account verify': {
    options: ['email'],
    run: (ask, { Accounts }, { email }) => ask(Accounts.verifyEmail, { email }),
  },
  'account delete': {
    options: ['id'],
    run: async (ask, { Accounts, operationsOf }, { id }) => {
      // Noted before it is done: a list that names too many loses nothing that anybody may keep.
      const data = process.env.CARILLON_DATA || join(root, '.carillon');
      if (!/^usr_[0-9a-z]+$/.test(id)) throw new Error(`"${id}" is no id of an account`);
      const unreached = existsSync(data) ? noteDeletion(data, id) : [];
      for (const folder of unreached)
        console.error(`Note ${id} in ${join(folder, deletedFile)} yourself: it cannot be written from here.`);
      const { ok } = await ask(Accounts.remove, { accountId: id });
      // The inbox drops its rows by itself; lines of the feed and events are made anew without their text.
      for (const projection of ['feed', 'events'])
        await ask(operationsOf('read-models').rebuild, { projection });
      return { ok, id, unreached };
    },
  },
  'projections list': {
    options: [],
    run: async (ask, contracts) => ({
      projections: (await ofAll(ask, contracts, 'projections')).flatMap(({ projections }) => projections),
    }),
  },
  'projections rebuild': {
    options: ['service', 'projection'],
    run: (ask, { operationsOf }, { service, projection }) =>
      ask(operationsOf(service).rebuild, { projection }),
  },
  'dead-letters list': {
    options: [],
    run: async (ask, contracts) => ({
      deadLetters: (await ofAll(ask, contracts, 'deadLetters')).flatMap(({ deadLetters }) => deadLetters),
    }),
  },
  'dead-letters retry': {
    options: ['service', 'id'],
    run: (ask, { operationsOf }, { service, id }) => ask(operationsOf(service).retryDeadLetter, { id }),
  },
  'dead-letters drop': {
    options: ['service', 'id'],
    run: (ask, { operationsOf }, { service, id }) => ask(operationsOf(service).dropDeadLetter, { id }),
  },
};

const { command, values } = read();
await asOperator('carillon admin', async (ask, contracts) => {
  const said = await command.run(ask, contracts, values);
  if (said !== undefined) console.log(JSON.stringify(said));
});

/** Asks every service the same. */
function ofAll(ask, { operationsOf, serviceNames }, what) {
  return Promise.all(serviceNames.map((service) => ask(operationsOf(service)[what], {})));
}

function read() {
  try {
    const [noun, verb, ...rest] = process.argv.slice(2);
    const found = commands[`${noun} ${verb}`];
    if (found) {
      const known = [...found.options, ...(found.optional ?? [])];
      const options = Object.fromEntries(known.map((name) => [name, { type: 'string' }]));
      const { values: given } = parseArgs({ args: rest, options });
      if (found.options.every((name) => given[name] !== undefined)) return { command: found, values: given };
    }
  } catch (error) {
    console.error(error.message);
  }
  console.error('usage:');
  for (const [name, { options, optional = [] }] of Object.entries(commands)) {
    const words = [...options.map((each) => `--${each}=…`), ...optional.map((each) => `[--${each}=…]`)];
    console.error(`  node tools/admin.mjs ${[name, ...words].join(' ')}`);
  }
  process.exit(2);
}
