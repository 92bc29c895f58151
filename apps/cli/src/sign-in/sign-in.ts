import { createClient } from '@carillon/client';
import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import type { Context } from '../context';
import { Ended, exits } from '../exits';
import { isToken, server } from '../inputs';
import type { Environment } from './credentials';

/** The first line of stdin. */
async function pasted(): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin });
  return new Promise((resolve) => {
    let line = '';
    lines.once('line', (first) => {
      line = first.trim();
      lines.close();
    });
    lines.once('close', () => resolve(line));
  });
}

interface SignInOptions {
  readonly browser?: true;
  readonly device?: true;
}

/** On a terminal a person signs in; a program gives a token on stdin. */
async function obtained(url: string, { browser, device }: SignInOptions, context: Context): Promise<string> {
  if (!device && !browser && process.stdin.isTTY !== true) return pasted();
  const { byBrowser, byDevice } = await import('./authorization');
  if (device)
    return byDevice(url, (address, code) =>
      context.say(`Open ${address} in any browser and type the code ${code}`),
    );
  return byBrowser(url, (address) => {
    context.say(
      `Open this address in a browser of this machine (elsewhere: carillon login --device):\n${address}`,
    );
    open(context.env, address);
  });
}

/** Opens an address in the browser of the person, if there is one: it is shown anyway. */
function open(env: Environment, address: string): void {
  if (process.stdin.isTTY !== true) return;
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(opener, [address], { env: { ...env }, stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

export function addSignIn(program: Command, context: Context): void {
  const { credentials } = context;
  program
    .command('login')
    .description('get an API token by a browser, or keep one that is read from stdin')
    .argument('[url]', 'the installation, such as https://carillon.example', server)
    .option('--browser', 'sign in with a browser of this machine; usual on a terminal')
    .option('--device', 'sign in with a browser of any machine, by a code')
    .action(async (given: string | undefined, how: SignInOptions) => {
      const url = given ?? context.url;
      if (url === undefined)
        throw new Ended(exits.usage, "error: missing argument 'url': the address of the installation");
      const token = program.opts<{ token?: string }>().token ?? (await obtained(url, how, context));
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
