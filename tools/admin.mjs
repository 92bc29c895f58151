// node tools/admin.mjs team create --name=Acme --owner=ada@example.test: makes a workplace team, which nobody can over HTTP.
// node tools/admin.mjs account verify --email=ada@example.test: says that the address is the account's own.
// For who operates the installation. Prints what was made or changed as JSON on stdout.
import { parseArgs } from 'node:util';
import { asOperator } from './operator.mjs';

const commands = {
  'team create': {
    options: ['name', 'owner'],
    run: (ask, { Teams }, { name, owner: ownerEmail }) => ask(Teams.found, { name, ownerEmail }),
  },
  'account verify': {
    options: ['email'],
    run: (ask, { Accounts }, { email }) => ask(Accounts.verifyEmail, { email }),
  },
};

const { command, values } = read();
await asOperator('carillon admin', async (ask, contracts) => {
  console.log(JSON.stringify(await command.run(ask, contracts, values)));
});

function read() {
  try {
    const [noun, verb, ...rest] = process.argv.slice(2);
    const found = commands[`${noun} ${verb}`];
    if (found) {
      const options = Object.fromEntries(found.options.map((name) => [name, { type: 'string' }]));
      const { values: given } = parseArgs({ args: rest, options });
      if (found.options.every((name) => given[name] !== undefined)) return { command: found, values: given };
    }
  } catch (error) {
    console.error(error.message);
  }
  console.error('usage: node tools/admin.mjs team create --name=<name> --owner=<e-mail address>');
  console.error('       node tools/admin.mjs account verify --email=<e-mail address>');
  process.exit(2);
}
