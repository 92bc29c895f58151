// The form of a command of admin.ts, such as `team create --name=… --owner=…`.
import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';
import type { Ask } from './operator';

type Given = Readonly<Partial<Record<string, string | boolean>>>;
type Values<Needed extends string, Optional extends string, Flag extends string> = Readonly<
  Record<Needed, string> & Partial<Record<Optional, string>> & Partial<Record<Flag, boolean>>
>;

/** A command with the values that it was given. An offline one asks no service. */
export type Invocation =
  { readonly kind: 'online'; run(ask: Ask): Promise<unknown> } | { readonly kind: 'offline'; run(): unknown };

export interface Command {
  readonly needed: readonly string[];
  readonly optional: readonly string[];
  /** Options without a value. */
  readonly flags: readonly string[];
  /** Undefined when a needed value is missing. */
  readonly with: (given: Given) => Invocation | undefined;
}

const isComplete = <Needed extends string, Optional extends string, Flag extends string>(
  given: Given,
  needed: readonly Needed[],
): given is Given & Values<Needed, Optional, Flag> => needed.every((name) => given[name] !== undefined);

/** A command that asks services. */
export const online = <Needed extends string, Optional extends string = never, Flag extends string = never>(
  needed: readonly Needed[],
  run: (ask: Ask, values: Values<Needed, Optional, Flag>) => Promise<unknown>,
  optional: readonly Optional[] = [],
  flags: readonly Flag[] = [],
): Command => ({
  needed,
  optional,
  flags,
  with: (given) =>
    isComplete<Needed, Optional, Flag>(given, needed)
      ? { kind: 'online', run: (ask) => run(ask, given) }
      : undefined,
});

/** A command that works on files alone. */
export const offline = <Needed extends string>(
  needed: readonly Needed[],
  run: (values: Values<Needed, never, never>) => unknown,
): Command => ({
  needed,
  optional: [],
  flags: [],
  with: (given) =>
    isComplete<Needed, never, never>(given, needed) ? { kind: 'offline', run: () => run(given) } : undefined,
});

export type Commands = Readonly<Partial<Record<string, Command>>>;

/** Reads `<noun> <verb> --option=…`, or `<verb> --option=…`. Throws `BadUsage`. */
export function readCommand(words: readonly string[], commands: Commands): Invocation {
  const length = [1, 2].find((count) => Object.hasOwn(commands, words.slice(0, count).join(' ')));
  const command = length && commands[words.slice(0, length).join(' ')];
  if (!command) throw new BadUsage();
  const args = words.slice(length);
  const options: Record<string, { type: 'string' | 'boolean'; multiple: false }> = Object.fromEntries([
    ...[...command.needed, ...command.optional].map(
      (each) => [each, { type: 'string', multiple: false }] as const,
    ),
    ...command.flags.map((each) => [each, { type: 'boolean', multiple: false }] as const),
  ]);
  const invocation = command.with(parsed(() => parseArgs({ args, options })).values);
  if (!invocation) throw new BadUsage();
  return invocation;
}

export const usageOf = (commands: Commands): string =>
  ['usage:', ...Object.entries(commands).map(([name, command]) => `  ${lineOf(name, command)}`)].join('\n');

const lineOf = (name: string, { needed = [], optional = [], flags = [] }: Partial<Command> = {}): string =>
  [
    `node tools/admin.mjs ${name}`,
    ...needed.map((each) => `--${each}=…`),
    ...optional.map((each) => `[--${each}=…]`),
    ...flags.map((each) => `[--${each}]`),
  ].join(' ');
