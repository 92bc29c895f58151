import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from './failure';

/** Something in the command line or the environment that cannot be followed. */
export class BadOption extends Error {}

export const helpText = (): string => readFileSync(join(import.meta.dirname, 'help.txt'), 'utf8');

/** The options that it names. Throws BadOption for what it does not know. */
export function parseCommandLine(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string' },
        'simulator-port': { type: 'string' },
        data: { type: 'string' },
        parts: { type: 'boolean' },
        processes: { type: 'string' },
        cluster: { type: 'boolean' },
        replicas: { type: 'string' },
        links: { type: 'boolean' },
        'new-rows': { type: 'boolean' },
        'exit-with-parent': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new BadOption(`${messageOf(error)} (--help lists the options)`);
  }
}
