// The form of a command of admin.ts, such as `team create --name=… --owner=…`.
import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';
import type { Ask } from './operator';

type Given = Readonly<Partial<Record<string, string>>>;
type Values<Needed extends string, Optional extends string> = Readonly<
  Record<Needed, string> & Partial<Record<Optional, string>>
>;

/** A command with the values that it was given. An offline one asks no service. */
export type Invocation =
  { readonly kind: 'online'; run(ask: Ask): Promise<unknown> } | { readonly kind: 'offline'; run(): unknown };

export interface Command {
  readonly needed: readonly string[];
  readonly optional: readonly string[];
  /** Undefined when a needed value is missing. */
  readonly with: (given: Given) => Invocation | undefined;
}

const isComplete = <Needed extends string, Optional extends string>(
  given: Given,
  needed: readonly Needed[],
): given is Given & Values<Needed, Optional> => needed.every((name) => given[name] !== undefined);

/** A command that asks services. */
export const online = <Needed extends string, Optional extends string = never>(
  needed: readonly Needed[],
  run: (ask: Ask, values: Values<Needed, Optional>) => Promise<unknown>,
  optional: readonly Optional[] = [],
): Command => ({
  needed,
  optional,
  with: (given) =>
    isComplete<Needed, Optional>(given, needed)
      ? { kind: 'online', run: (ask) => run(ask, given) }
      : undefined,
});

/** A command that works on files alone. */
export const offline = <Needed extends string>(
  needed: readonly Needed[],
  run: (values: Values<Needed, never>) => unknown,
): Command => ({
  needed,
  optional: [],
  with: (given) =>
    isComplete<Needed, never>(given, needed) ? { kind: 'offline', run: () => run(given) } : undefined,
});

export type Commands = Readonly<Partial<Record<string, Command>>>;

/** Reads `<noun> <verb> --option=…`. Throws `BadUsage`. */
export function readCommand([noun, verb, ...args]: readonly string[], commands: Commands): Invocation {
  const name = `${noun} ${verb}`;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new BadUsage();
  const known = [...command.needed, ...command.optional];
  const options = Object.fromEntries(known.map((each) => [each, { type: 'string' } as const]));
  const invocation = command.with(parsed(() => parseArgs({ args, options })).values);
  if (!invocation) throw new BadUsage();
  return invocation;
}

export const usageOf = (commands: Commands): string =>
  ['usage:', ...Object.entries(commands).map(([name, command]) => `  ${lineOf(name, command)}`)].join('\n');

const lineOf = (name: string, { needed = [], optional = [] }: Partial<Command> = {}): string =>
  [
    `node tools/admin.mjs ${name}`,
    ...needed.map((each) => `--${each}=…`),
    ...optional.map((each) => `[--${each}=…]`),
  ].join(' ');
