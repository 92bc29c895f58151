import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';

export interface SecretsOptions {
  readonly folder: string;
  /** The names under which clients reach NATS. */
  readonly natsNames: readonly string[];
  /** The name of the push simulator, where one replaces Apple and Google. */
  readonly simulator?: string;
}

const text = { type: 'string' } as const;

/** Reads the command line of secrets.ts. Throws `BadUsage`. */
export function secretsOptions(args: string[]): SecretsOptions {
  const options = { out: text, nats: text, simulator: text };
  const { out, nats = 'nats', simulator } = parsed(() => parseArgs({ args, options })).values;
  if (!out) throw new BadUsage();
  return {
    folder: resolve(out),
    natsNames: nats.split(',').map((name) => name.trim()),
    ...(simulator !== undefined && simulator !== '' && { simulator }),
  };
}
