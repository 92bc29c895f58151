import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';

export type RecoverOptions = { readonly id: string } & (
  { readonly deliveryId: string } | { readonly since: string }
);

const text = { type: 'string' } as const;

/** Reads the command line of recover.ts. Throws `BadUsage`. */
export function recoverOptions(args: string[]): RecoverOptions {
  const options = { webhook: text, delivery: text, since: text };
  const { webhook, delivery, since } = parsed(() => parseArgs({ args, options })).values;
  if (webhook && delivery && !since) return { id: webhook, deliveryId: delivery };
  if (webhook && since && !delivery) return { id: webhook, since: timeOf(since) };
  throw new BadUsage();
}

function timeOf(given: string): string {
  const at = new Date(given);
  if (Number.isNaN(at.getTime())) throw new BadUsage(`"${given}" is no time.`);
  return at.toISOString();
}
