import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Tokens by the address of their installation: none is ever sent to another one. */
interface Kept {
  readonly current?: string;
  /** Null where the keychain of the system has the token. */
  readonly tokens: Readonly<Record<string, string | null>>;
}

/** A program of the system that keeps secrets for the signed-in person. */
interface Keychain {
  store(url: string, token: string): boolean;
  find(url: string): string | undefined;
  remove(url: string): void;
}

const withinMs = 10_000;

/** Runs a program, a secret on its stdin and never among its arguments, which others may read. */
function run(env: Environment, program: string, args: readonly string[], input = ''): string | undefined {
  const { status, stdout } = spawnSync(program, args, {
    input,
    env: { ...env },
    timeout: withinMs,
    encoding: 'utf8',
  });
  return status === 0 ? stdout : undefined;
}

const secretTool = (env: Environment): Keychain => {
  const of = (url: string): string[] => ['service', 'carillon', 'url', url];
  return {
    store: (url, token) =>
      run(env, 'secret-tool', ['store', '--label=Carillon', ...of(url)], token) !== undefined,
    find: (url) => run(env, 'secret-tool', ['lookup', ...of(url)])?.trim() || undefined,
    remove: (url) => void run(env, 'secret-tool', ['clear', ...of(url)]),
  };
};

const macOs = (env: Environment): Keychain => ({
  store: (url, token) =>
    run(env, 'security', ['-i'], `add-generic-password -U -s carillon -a ${url} -w ${token}\n`) !== undefined,
  find: (url) => run(env, 'security', ['find-generic-password', '-s', 'carillon', '-a', url, '-w'])?.trim(),
  remove: (url) => void run(env, 'security', ['delete-generic-password', '-s', 'carillon', '-a', url]),
});

export class Credentials {
  readonly file: string;
  private readonly keychain: Keychain;

  constructor(env: Environment) {
    this.file = join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'carillon', 'credentials.json');
    this.keychain = process.platform === 'darwin' ? macOs(env) : secretTool(env);
  }

  get current(): string | undefined {
    return this.kept().current;
  }

  tokenOf(url: string): string | undefined {
    const { tokens } = this.kept();
    if (!Object.hasOwn(tokens, url)) return undefined;
    return tokens[url] ?? this.keychain.find(url);
  }

  /** Gives where the token is now. */
  keep(url: string, token: string): 'keychain' | 'file' {
    // What cannot be read back is not kept: a keychain may be there and locked.
    const inKeychain = this.keychain.store(url, token) && this.keychain.find(url) === token;
    this.write({ current: url, tokens: { ...this.kept().tokens, [url]: inKeychain ? null : token } });
    return inKeychain ? 'keychain' : 'file';
  }

  forget(url: string): void {
    const { [url]: token, ...tokens } = this.kept().tokens;
    if (token === null) this.keychain.remove(url);
    const [current] = Object.keys(tokens);
    this.write({ ...(current !== undefined && { current }), tokens });
  }

  private kept(): Kept {
    try {
      const { current, tokens } = JSON.parse(readFileSync(this.file, 'utf8')) as Partial<Kept>;
      return { ...(current !== undefined && { current }), tokens: tokens ?? {} };
    } catch {
      return { tokens: {} };
    }
  }

  private write(kept: Kept): void {
    if (Object.keys(kept.tokens).length === 0) return rmSync(this.file, { force: true });
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    const fresh = `${this.file}.${process.pid}`;
    writeFileSync(fresh, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    chmodSync(fresh, 0o600);
    renameSync(fresh, this.file);
  }
}
