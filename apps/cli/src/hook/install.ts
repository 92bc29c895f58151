import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Argument, type Command } from 'commander';
import type { Context } from '../context';
import { Ended, exits } from '../exits';
import { installationOf } from './files';
import { defaultWait, type Options, withOptions } from './hook';
import { hostNames, type HostName, hosts } from './hosts';
import { isObject } from './shown';

type Members = Record<string, unknown>;

/** What `remove` restores: the file as it was, while nobody else has changed what `install` wrote. */
interface Note {
  readonly file: string;
  readonly before: string | null;
  readonly after: string;
}

const isNote = (value: unknown): value is Note =>
  isObject(value) &&
  typeof value['file'] === 'string' &&
  typeof value['after'] === 'string' &&
  (value['before'] === null || typeof value['before'] === 'string');
/** All of a file, so that it can be restored byte for byte; throws when it is not text in UTF-8. */
function textIn(file: string): string | null {
  if (!existsSync(file)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw notAsWritten(file);
  }
}

const notAsWritten = (file: string): Ended =>
  new Ended(exits.usage, `${file} is not as its program writes it. Nothing was changed.`);

/** A file that is there keeps its mode, and the link that leads to it. */
function write(file: string, text: string | null): void {
  if (text === null) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  const isThere = existsSync(file);
  const target = isThere ? realpathSync(file) : file;
  const fresh = `${target}.${process.pid}`;
  writeFileSync(fresh, text, { mode: 0o600 });
  if (isThere) chmodSync(fresh, statSync(target).mode & 0o777);
  renameSync(fresh, target);
}

function membersOf(file: string, text: string | null): Members {
  if (text === null || text.trim() === '') return {};
  let members: unknown;
  try {
    members = JSON.parse(text);
  } catch {
    members = undefined;
  }
  const hooks = isObject(members) ? (members['hooks'] ?? {}) : undefined;
  if (!isObject(members) || !isObject(hooks) || !Object.values(hooks).every(Array.isArray))
    throw notAsWritten(file);
  return members;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const isOurs = (host: HostName, command: unknown): boolean =>
  typeof command === 'string' && command.includes(` hook ${host} --timeout `);

/** The hooks of others, untouched; lists and groups that are empty without ours are gone. */
function withoutOurs(host: HostName, members: Members): Members {
  const groups = ([event, list]: [string, unknown]): [string, unknown[]][] => {
    const others = (Array.isArray(list) ? list : []).flatMap((group: unknown) => {
      if (!isObject(group)) return [group];
      if (isOurs(host, group['bash'])) return [];
      const { hooks } = group;
      if (!Array.isArray(hooks)) return [group];
      const kept = hooks.filter((hook) => !(isObject(hook) && isOurs(host, hook['command'])));
      if (kept.length === hooks.length) return [group];
      return kept.length === 0 ? [] : [{ ...group, hooks: kept }];
    });
    return others.length === 0 && Array.isArray(list) && list.length > 0 ? [] : [[event, others]];
  };
  const { hooks, ...rest } = members;
  if (!isObject(hooks)) return members;
  const left = Object.fromEntries(Object.entries(hooks).flatMap(groups));
  return Object.keys(left).length > 0 ? { ...rest, hooks: left } : rest;
}

class Hooks {
  private constructor(
    private readonly host: HostName,
    private readonly file: string,
    private readonly noteFile: string,
  ) {}

  static async of(context: Context, host: HostName, file: string): Promise<Hooks> {
    // Here, since loading it would delay the start of every command.
    const { createHash } = await import('node:crypto');
    const place = createHash('sha256').update(file).digest('hex').slice(0, 16);
    return new Hooks(host, file, join(dirname(context.credentials.file), 'hooks', `${host}-${place}.json`));
  }

  private note(): Note | undefined {
    const text = textIn(this.noteFile);
    try {
      const note: unknown = text === null ? undefined : JSON.parse(text);
      return isNote(note) && note.file === this.file ? note : undefined;
    } catch {
      return undefined;
    }
  }

  /** The file as it would be without ours. */
  private before(): string | null {
    const now = textIn(this.file);
    const note = this.note();
    if (note && note.after === now) return note.before;
    const members = membersOf(this.file, now);
    const others = withoutOurs(this.host, members);
    return JSON.stringify(others) === JSON.stringify(members) ? now : `${JSON.stringify(others, null, 2)}\n`;
  }

  get isInstalled(): boolean {
    const now = textIn(this.file);
    const members = membersOf(this.file, now);
    return JSON.stringify(withoutOurs(this.host, members)) !== JSON.stringify(members);
  }

  install(base: object, entries: Readonly<Record<string, object>>): void {
    const before = this.before();
    const members = { ...base, ...membersOf(this.file, before) };
    const hooks: Members = isObject(members['hooks']) ? { ...members['hooks'] } : {};
    for (const [event, entry] of Object.entries(entries)) {
      const others = hooks[event];
      hooks[event] = [...(Array.isArray(others) ? others : []), entry];
    }
    const after = `${JSON.stringify({ ...members, hooks }, null, 2)}\n`;
    // The note first: after a crash in between the file is not as noted, and ours is taken out of it by its form.
    write(this.noteFile, `${JSON.stringify({ file: this.file, before, after } satisfies Note)}\n`);
    if (textIn(this.file) !== after) write(this.file, after);
  }

  remove(): void {
    const before = this.before();
    if (textIn(this.file) !== before) write(this.file, before);
    if (this.note()) write(this.noteFile, null);
  }
}

const commandOf = (host: HostName, timeout: number, remember: boolean, onTimeout: string): string =>
  [
    ...[process.execPath, process.argv[1] ?? 'carillon'].map(quoted),
    `hook ${host} --timeout ${timeout}`,
    ...(remember ? ['--remember'] : []),
    ...(onTimeout === 'deny' ? [] : [`--on-timeout=${onTimeout}`]),
  ].join(' ');

/** Since then Claude Code knows `onFailure`. */
const firstClaude = [2, 1, 295];

function warningsOf(context: Context, host: HostName): string[] {
  if (host !== 'claude-code') return [];
  const { stdout } = spawnSync('claude', ['--version'], {
    encoding: 'utf8',
    timeout: 10_000,
    env: { ...context.env },
  });
  const found = /(\d+)\.(\d+)\.(\d+)/
    .exec(stdout ?? '')
    ?.slice(1)
    .map(Number);
  if (!found) return ['The version of Claude Code could not be read.'];
  const at = found.findIndex((number, index) => number !== firstClaude[index]);
  const isOlder = at >= 0 && (found[at] ?? 0) < (firstClaude[at] ?? 0);
  return isOlder
    ? [`Claude Code ${found.join('.')} goes on when a hook fails: 2.1.295 and later can block.`]
    : [];
}

const argument = (): Argument => new Argument('<host>', 'the agent').choices(hostNames);

export function addHooks(program: Command, context: Context): void {
  const group = program.command('hooks').description('let coding agents ask on your phone');
  withOptions(group.command('install'))
    .description('write the hook into the settings of an agent')
    .addArgument(argument())
    .action(async (host: HostName, options: Options) => {
      const command = commandOf(host, options.timeout, options.remember ?? false, options.onTimeout);
      const { file, base, entries, words } = installationOf(host, command, options.timeout);
      (await Hooks.of(context, host, file)).install(base, entries);
      const warnings = [...words, ...warningsOf(context, host)];
      for (const warning of warnings) context.say(warning);
      context.result(
        { host, file, installed: true, warnings },
        `${hosts[host].title} asks on your phone now.`,
      );
    });
  group
    .command('remove')
    .description('take the hook out again')
    .addArgument(argument())
    .action(async (host: HostName) => {
      const { file } = installationOf(host, '', defaultWait);
      (await Hooks.of(context, host, file)).remove();
      context.result({ host, file, installed: false }, `${hosts[host].title} asks in its terminal again.`);
    });
  group
    .command('check')
    .description('tell whether the hook would work')
    .addArgument(argument())
    .action(async (host: HostName) => {
      const { file } = installationOf(host, '', defaultWait);
      const { isInstalled: installed } = await Hooks.of(context, host, file);
      const warnings = warningsOf(context, host);
      const { token } = await context.client().get('/auth/status');
      const missing = ['interactions:create', 'interactions:read'].filter(
        (scope) => !token.scopes.some((each) => each === scope),
      );
      if (missing.length > 0) warnings.push(`The token lacks ${missing.join(', ')}.`);
      for (const warning of warnings) context.say(warning);
      const words = installed ? `The hook is in ${file}.` : `No hook is in ${file}.`;
      context.result({ host, file, installed, warnings }, words);
      if (!installed || missing.length > 0) throw new Ended(exits.refused, words);
    });
}
