import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';

export interface SecretsOptions {
  readonly folder: string;
  /** The names under which clients reach NATS. */
  readonly natsNames: readonly string[];
  /** Where Postgres is: `host` or `host:port`. */
  readonly postgres: string;
  /** Where the event store is, as after the user in its URL. */
  readonly eventStore: string;
  /** The name of the push simulator, where one replaces Apple and Google. */
  readonly simulator?: string;
}

const text = { type: 'string' } as const;

/** Reads the command line of secrets.ts. Throws `BadUsage`. */
export function secretsOptions(args: string[]): SecretsOptions {
  const options = { out: text, nats: text, postgres: text, 'event-store': text, simulator: text };
  const { values } = parsed(() => parseArgs({ args, options }));
  const { out, nats = 'nats', postgres = 'postgres:5432', simulator } = values;
  if (!out) throw new BadUsage();
  return {
    folder: resolve(out),
    postgres,
    eventStore: values['event-store'] ?? 'event-store:2113?tls=false',
    natsNames: nats.split(',').map((name) => name.trim()),
    ...(simulator !== undefined && simulator !== '' && { simulator }),
  };
}
