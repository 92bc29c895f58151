import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { addActivity } from './activity/activity';
import { addAsk } from './ask/ask';
import { Context } from './context';
import { Ended, exits } from './exits';
import { addHook } from './hook/hook';
import { addHooks } from './hook/install';
import { addLists } from './lists';
import { addNotify, addPage } from './notify';
import type { Environment } from './sign-in/credentials';
import { addSignIn } from './sign-in/sign-in';
import { addWebhooks } from './webhooks/listen';

const exitCodes = `
Exit codes: 0 done, approved or answered; 1 refused by the API; 2 bad input; 3 not signed in;
4 no answer in time, or canceled; 5 denied; 6 no connection; 7 no device has accepted it.
JSON on stdout where it is no terminal, or with --json. CARILLON_URL and CARILLON_TOKEN are used
before what \`carillon login\` has kept.`;

export function programOf(env: Environment, version: string): Command {
  const program = new Command('carillon')
    .description('Notifications and questions for the people that scripts and agents work for.')
    .version(version, '-V, --version', 'the version')
    .option('--token <token>', 'an API token for this command alone')
    .option('--json', 'JSON on stdout, on a terminal too')
    .addHelpText('after', exitCodes)
    .exitOverride();
  const context = new Context(env, program);
  addSignIn(program, context);
  addNotify(program, context);
  addAsk(program, context);
  addActivity(program, context);
  addPage(program, context);
  addLists(program, context);
  addWebhooks(program, context);
  addHook(program, context);
  addHooks(program, context);
  program
    .command('admin', { hidden: true })
    .allowUnknownOption()
    .argument('[anything...]')
    .action(() => {
      // The operator of an installation knows commands of this name, from its documents.
      throw new Ended(
        exits.usage,
        'The operator of an installation runs `node tools/admin.mjs`, or `admin` of the image.',
      );
    });
  tab(program, { completionCommandName: 'completion' });
  return program;
}
