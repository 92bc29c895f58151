import { type Client, createClient } from '@carillon/client';
import { type Command, InvalidArgumentError } from 'commander';
import { styleText } from 'node:util';
import { Ended, exits } from './exits';
import { isToken, server } from './inputs';
import { Credentials, type Environment } from './sign-in/credentials';

type Style = Parameters<typeof styleText>[0];

/** What commands have in common: who they are signed in as, and how they speak. */
export class Context {
  readonly credentials: Credentials;

  constructor(
    readonly env: Environment,
    private readonly program: Command,
  ) {
    this.credentials = new Credentials(env);
  }

  /** Of `CARILLON_URL`, or else the installation that the person is signed in at. */
  get url(): string | undefined {
    const given = this.env['CARILLON_URL'];
    if (!given) return this.credentials.current;
    try {
      return server(given);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new Ended(exits.usage, `CARILLON_URL is invalid. ${error.message}`);
    }
  }

  /** Of `--token`, `CARILLON_TOKEN`, or what `carillon login` has kept for this installation. */
  signIn(): { readonly url: string; readonly token: string } {
    const { url } = this;
    const given = this.program.opts<{ token?: string }>().token ?? (this.env['CARILLON_TOKEN'] || undefined);
    const token = given ?? (url === undefined ? undefined : this.credentials.tokenOf(url));
    if (token === undefined)
      throw new Ended(exits.notSignedIn, 'You are not signed in: run `carillon login`.');
    if (url === undefined)
      throw new Ended(exits.usage, 'CARILLON_URL is missing: the address of the installation.');
    if (!isToken(token))
      throw new Ended(exits.usage, `${given === undefined ? 'The kept token' : '--token'} is no token.`);
    return { url, token };
  }

  client(retries?: number): Client {
    const { url, token } = this.signIn();
    return createClient({ url, token, ...(retries !== undefined && { retries }) });
  }

  get isJson(): boolean {
    return this.program.opts<{ json?: boolean }>().json === true || process.stdout.isTTY !== true;
  }

  /** The result: JSON for programs, words for people. */
  result(json: unknown, words: string): void {
    process.stdout.write(`${this.isJson ? JSON.stringify(json) : words}\n`);
  }

  /** Words beside the result. */
  say(words: string): void {
    process.stderr.write(`${words}\n`);
  }

  style(style: Style, words: string): string {
    const isColoured = process.stdout.isTTY === true && !this.env['NO_COLOR'];
    return isColoured ? styleText(style, words) : words;
  }
}
