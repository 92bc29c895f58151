// node tools/admin.mjs team create --name=Acme --owner=ada@example.test: makes a workplace team, which nobody can over HTTP.
// node tools/admin.mjs accounts list [--email=ada@example.test]: the accounts, the newest first, each as a line of JSON.
// node tools/admin.mjs account verify --email=ada@example.test: says that the address is the account's own.
// node tools/admin.mjs keys add|use --file=…, then keys list, keys rotate: a new key for the installation (docs/operations.md).
// node tools/admin.mjs projections list|rebuild --service=read-models --projection=inbox: how far rows are; rebuilds them.
// node tools/admin.mjs dead-letters list|retry|drop --service=push --id=…: work that was given up.
// node tools/admin.mjs account export --email=…|--id=usr_… --out=<file>: all that there is of an account, as lines of JSON.
// node tools/admin.mjs account delete --id=usr_…: ends an account for ever; with its key goes all its text. The id is
// noted beside every backup of this standalone, so that a restore does not bring it back (docs/operations.md).
// node tools/admin.mjs accounts delete --list=<file>: the same for all ids in a file, one a line, such as the list beside a
// backup; those that the log does not know are passed over.
// For who operates the installation. What changes something is written into the log first (`operation-installation`). Prints what was made or changed as JSON on stdout.
import { existsSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { deletedFile, deletedIn, noteDeletion } from './backup-file.mjs';
import { endAll } from './account-deletion.mjs';
import { exportAccount } from './account-export.mjs';
import { changeRing, withNewestFirst, withNewKey } from './key-ring-file.mjs';
import { allOf, asOperator } from './operator.mjs';
import { root } from './setup.mjs';

/** Rows that have not moved for so long are not waited for. */
const stuckMs = 60_000;

const commands = {
  'team create': {
    options: ['name', 'owner'],
    run: (ask, { Teams }, { name, owner: ownerEmail }) => ask(Teams.found, { name, ownerEmail }),
  },
  'accounts list': {
    options: [],
    optional: ['email'],
    run: async (ask, { Accounts }, { email }) => {
      for await (const each of allOf(ask, Accounts.list, { email })) console.log(JSON.stringify(each));
    },
  },
  'account verify': {
    options: ['email'],
    run: (ask, { Accounts }, { email }) => ask(Accounts.verifyEmail, { email }),
  },
  'account export': {
    options: ['out'],
    optional: ['email', 'id'],
    run: async (ask, contracts, { email, id, out }) => {
      if (Boolean(email) === Boolean(id)) throw new Error('give one of --email and --id');
      const accountId = id ?? (await ask(contracts.Accounts.byEmail, { email })).accountId;
      // Who has the file reads everything: it is for its user only, and no other file is written over.
      const file = await open(out, 'wx', 0o600);
      let lines = 0;
      try {
        await exportAccount(ask, contracts, accountId, async (line) => {
          await file.write(`${line}\n`);
          lines += 1;
        });
        await file.sync();
      } catch (error) {
        await unlink(out);
        throw error;
      } finally {
        await file.close();
      }
      return { ok: true, id: accountId, out, lines };
    },
  },
  'account delete': {
    options: ['id'],
    run: async (ask, contracts, { id }) => {
      const unreached = note(id);
      const { Accounts } = contracts;
      await ask(Accounts.remove, { accountId: id });
      const ended = await endAll(ask, contracts, id);
      const { ok } = await ask(Accounts.forget, { accountId: id });
      return { ok, id, ended, unreached };
    },
  },
  'accounts delete': {
    options: ['list'],
    run: async (ask, contracts, { list }) => {
      const { Accounts } = contracts;
      const ids = deletedIn(list);
      for (const id of ids) note(id);
      // Rows name the resources of an account; after a restore they are rebuilt first.
      await untilCurrent(ask, contracts);
      // All of them are closed before what is theirs is looked for, which takes longer.
      const closed = [];
      for (const accountId of ids)
        try {
          await ask(Accounts.remove, { accountId });
          closed.push(accountId);
        } catch (error) {
          if (error.reason !== 'account.not_found') throw error;
        }
      for (const accountId of closed) {
        await endAll(ask, contracts, accountId);
        await ask(Accounts.forget, { accountId });
      }
      return { ok: true, deleted: closed.length, unknown: ids.length - closed.length };
    },
  },
  'keys add': {
    options: ['file'],
    offline: ({ file }) => ({ keys: changeRing(file, withNewKey) }),
  },
  'keys use': {
    options: ['file'],
    offline: ({ file }) => ({ keys: changeRing(file, withNewestFirst) }),
  },
  'keys list': {
    options: [],
    run: async (ask, contracts) => ({
      keys: (await ofAll(ask, contracts, 'keys')).map(({ keys }) => keys),
    }),
  },
  'keys rotate': {
    options: [],
    run: async (ask, contracts) => {
      const rings = (await ofAll(ask, contracts, 'keys')).map(({ keys }) => keys);
      const [{ sealsWith }] = rings;
      const behind = rings.filter((each) => each.sealsWith !== sealsWith).map(({ service }) => service);
      if (behind.length > 0)
        throw new Error(
          `${behind.join(', ')} does not seal with ${sealsWith} yet: restart each process first`,
        );
      let [rewrapped, broken] = [0, 0];
      for (let after = '0'; after !== null;) {
        const part = await ask(contracts.Accounts.rewrapKeys, { after });
        rewrapped += part.rewrapped;
        broken += part.broken;
        after = part.next;
      }
      return { ok: broken === 0, key: sealsWith, rewrapped, broken };
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
if (command.offline) tell(() => command.offline(values));
else
  await asOperator('carillon admin', async (ask, contracts) => {
    const said = await command.run(ask, contracts, values);
    if (said !== undefined) console.log(JSON.stringify(said));
  });

/** For what needs no service that runs. */
function tell(work) {
  try {
    console.log(JSON.stringify(work()));
  } catch (error) {
    console.error(`Not done: ${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * Before an account is deleted: a list that names too many loses nothing that anybody may keep. Gives the folders that it
 * could not write to.
 */
function note(id) {
  if (!/^usr_[0-9a-z]+$/.test(id)) throw new Error(`"${id}" is no id of an account`);
  const data = process.env.CARILLON_DATA || join(root, '.carillon');
  const isStandalone = existsSync(data);
  const unreached = isStandalone ? noteDeletion(data, id) : [];
  if (!isStandalone) console.error(`Note ${id} beside your backups: after a restore it is to be said again.`);
  for (const folder of unreached)
    console.error(`Note ${id} in ${join(folder, deletedFile)} yourself: it cannot be written from here.`);
  return unreached;
}

/** Waits until the rows of all services are as the log is, for as long as they come closer. */
async function untilCurrent(ask, contracts) {
  let [before, since] = ['', Date.now()];
  for (;;) {
    const all = (await ofAll(ask, contracts, 'projections')).flatMap(({ projections }) => projections);
    const behind = all.filter(({ current }) => !current);
    if (behind.length === 0) return;
    const far = behind.map(
      ({ service, projection, eventsBehind }) => `${service} ${projection} ${eventsBehind}`,
    );
    if (far.join() !== before) [before, since] = [far.join(), Date.now()];
    if (Date.now() - since > stuckMs)
      throw new Error(
        `rows that are not current do not move (service, projection, events): ${far.join(', ')}`,
      );
    await sleep(200);
  }
}

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
