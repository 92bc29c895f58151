import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';

export interface AuditOptions {
  readonly files: readonly string[];
  /** Where the installation's public keys are. */
  readonly key?: string;
  readonly filtered: boolean;
}

/** Reads the command line of audit.ts. Throws `BadUsage`. */
export function auditOptions(args: string[]): AuditOptions {
  const options = { key: { type: 'string' }, filtered: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parsed(() => parseArgs({ args, options, allowPositionals: true }));
  const [verb, ...files] = positionals;
  if (verb !== 'verify' || files.length === 0) throw new BadUsage();
  return { files, ...values };
}
