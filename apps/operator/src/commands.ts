import { Accounts, OperatedAccounts, operationsOf, Teams } from '@carillon/contracts';
import { deleteAccount, deleteListed, exportToFile } from './account-commands';
import { type Commands, offline, online } from './command';
import { changeRing, withNewestFirst, withNewKey } from './key-ring-file';
import { importFrom } from './import/import';
import { rotateKeys } from './key-rotation';
import { allOf, ofEachService } from './operator';

/** The commands of admin.ts. What one gives is printed as JSON. */
export const commands: Commands = {
  'team create': online(['name', 'owner'], (ask, { name, owner }) =>
    ask(Teams.found, { name, ownerEmail: owner }),
  ),
  'accounts list': online(
    [],
    async (ask, { email }) => {
      const accounts = allOf((query) =>
        ask(Accounts.list, { ...(email !== undefined && { email }), ...query }),
      );
      for await (const each of accounts) console.log(JSON.stringify(each));
    },
    ['email'],
  ),
  'accounts deleted': online([], async (ask) => {
    const accounts = allOf((query) => ask(Accounts.list, { ...query }));
    for await (const { id, state } of accounts) if (state === 'deleted') console.log(id);
  }),
  'account verify': online(['email'], (ask, { email }) => ask(Accounts.verifyEmail, { email })),
  'account suspend': online(['email'], async (ask, { email }) =>
    ask(Accounts.suspend, await ask(Accounts.byEmail, { email })),
  ),
  'account resume': online(['email'], async (ask, { email }) =>
    ask(Accounts.resume, await ask(Accounts.byEmail, { email })),
  ),
  'account reset-second-factor': online(['email'], async (ask, { email }) =>
    ask(OperatedAccounts.resetSecondFactor, await ask(Accounts.byEmail, { email })),
  ),
  'account operator': online(
    ['email'],
    async (ask, { email, remove = false }) =>
      ask(OperatedAccounts.changeOperator, {
        ...(await ask(Accounts.byEmail, { email })),
        operator: !remove,
      }),
    [],
    ['remove'],
  ),
  'account export': online(['out'], exportToFile, ['email', 'id']),
  'account delete': online(['id'], (ask, { id }) => deleteAccount(ask, id)),
  'accounts delete': online(['list'], (ask, { list }) => deleteListed(ask, list)),
  import: online(
    ['from', 'file', 'team', 'as'],
    (ask, { 'dry-run': dryRun = false, ...given }) => importFrom(ask, { ...given, dryRun }),
    [],
    ['dry-run'],
  ),
  'keys add': offline(['file'], ({ file }) => ({ keys: changeRing(file, (ring) => withNewKey(ring)) })),
  'keys use': offline(['file'], ({ file }) => ({ keys: changeRing(file, withNewestFirst) })),
  'keys list': online([], async (ask) => ({
    keys: (await ofEachService(ask, (operations) => operations.keys)).map(({ keys }) => keys),
  })),
  'keys rotate': online([], (ask) => rotateKeys(ask)),
  'projections list': online([], async (ask) => ({
    projections: (await ofEachService(ask, (operations) => operations.projections)).flatMap(
      ({ projections }) => projections,
    ),
  })),
  'projections rebuild': online(['service', 'projection'], (ask, { service, projection }) =>
    ask(operationsOf(service).rebuild, { projection }),
  ),
  'dead-letters list': online([], async (ask) => ({
    deadLetters: (await ofEachService(ask, (operations) => operations.deadLetters)).flatMap(
      ({ deadLetters }) => deadLetters,
    ),
  })),
  'dead-letters retry': online(['service', 'id'], (ask, { service, id }) =>
    ask(operationsOf(service).retryDeadLetter, { id }),
  ),
  'dead-letters drop': online(['service', 'id'], (ask, { service, id }) =>
    ask(operationsOf(service).dropDeadLetter, { id }),
  ),
};
