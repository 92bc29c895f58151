// node tools/admin.mjs team create --name=Acme --owner=ada@example.test: makes a workplace team, which nobody can over
// HTTP.
// node tools/admin.mjs accounts list [--email=ada@example.test]: the accounts, the newest first, each as a line of
// JSON.
// node tools/admin.mjs accounts deleted: the ids of those that were deleted, one a line, for a list beside backups.
// node tools/admin.mjs account verify --email=ada@example.test: says that the address is the account's own.
// node tools/admin.mjs account suspend|resume --email=ada@example.test: refuses all credentials of the account until
// it is resumed.
// node tools/admin.mjs account reset-second-factor --email=ada@example.test: removes the authenticator app and the
// recovery codes, so that the password alone signs in.
// node tools/admin.mjs account operator --email=ada@example.test [--remove]: lets the account use the operator routes,
// or no longer.
// node tools/admin.mjs keys add|use --file=…, then keys list, keys rotate: a new key for the installation
// (docs/operations.md).
// node tools/admin.mjs projections list|rebuild --service=read-models --projection=inbox: how far rows are; rebuilds
// them.
// node tools/admin.mjs dead-letters list|retry|drop --service=push --id=…: work that was given up.
// node tools/admin.mjs account export --email=…|--id=usr_… --out=<file>: all that there is of an account, as lines of
// JSON.
// node tools/admin.mjs account delete --id=usr_…: ends an account for ever; with its key goes all its text. The id is
// noted beside every backup of this standalone, so that a restore does not bring it back (docs/operations.md).
// node tools/admin.mjs accounts delete --list=<file>: the same for all ids in a file, one a line, such as the list
// beside a backup; those that the log does not know are passed over.
// node tools/admin.mjs import --from=oncall|opsgenie|goalert --file=… --team=team_… --as=ada@example.test [--dry-run]:
// makes on-call groups of another product's export, in the name of an admin of the team (docs/integrations/import.md).
//
// For who operates the installation. What changes something is written into the log first (`operation-installation`).
// Takes NATS_URL and CARILLON_CALLER_KEY from the environment, else those of the standalone that runs on
// CARILLON_DATA. Prints what was made or changed as JSON on stdout.
import { readCommand, usageOf } from './command';
import { runProgram } from './command-line';
import { commands } from './commands';
import { asOperator } from './operator';

const print = (said: unknown): void => {
  if (said !== undefined) console.log(JSON.stringify(said));
};

await runProgram(usageOf(commands), async () => {
  const work = readCommand(process.argv.slice(2), commands);
  if (work.kind === 'offline') print(work.run());
  else await asOperator('carillon admin', async (ask) => print(await work.run(ask)));
});
