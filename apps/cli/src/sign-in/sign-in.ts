import { createClient } from '@carillon/client';
import type { Command } from 'commander';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Context } from '../context';
import { Ended, exits } from '../exits';
import { isToken, server } from '../inputs';

/** The first line of stdin; on a terminal it is asked for and not shown. */
function pasted(): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write('Paste an API token (you make one in the console under Tokens): ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: isTerminal });
  return new Promise((resolve) => {
    let line = '';
    lines.once('line', (first) => {
      line = first.trim();
      lines.close();
    });
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n');
      resolve(line);
    });
  });
}

export function addSignIn(program: Command, context: Context): void {
  const { credentials } = context;
  program
    .command('login')
    .description('keep an API token, which is read from stdin')
    .argument('[url]', 'the installation, such as https://carillon.example', server)
    .action(async (given?: string) => {
      const url = given ?? context.url;
      if (url === undefined)
        throw new Ended(exits.usage, "error: missing argument 'url': the address of the installation");
      const token = program.opts<{ token?: string }>().token ?? (await pasted());
      if (!isToken(token)) throw new Ended(exits.usage, 'Nothing was pasted that is a token.');
      const status = await createClient({ url, token }).get('/auth/status');
      const where = credentials.keep(url, token);
      context.result({ url, keptIn: where, ...status }, `Signed in at ${url} as "${status.token.name}".`);
      context.say(
        `The token is kept in ${where === 'file' ? credentials.file : 'the keychain of the system'}.`,
      );
    });
  program
    .command('logout')
    .description('forget the token; it stays valid until it is revoked')
    .action(() => {
      const { url } = context;
      if (url === undefined || credentials.tokenOf(url) === undefined)
        throw new Ended(exits.notSignedIn, 'You are not signed in.');
      credentials.forget(url);
      context.result({ url }, `Signed out of ${url}.`);
    });
  program
    .command('whoami')
    .description('the token that is used, and its scopes')
    .action(async () => {
      const { url, token } = context.signIn();
      const status = await createClient({ url, token }).get('/auth/status');
      const { name, prefix, scopes } = status.token;
      context.result({ url, ...status }, `"${name}" (${prefix}…) at ${url}\n${scopes.join(' ')}`);
    });
}
