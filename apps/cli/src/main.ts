import { CommanderError } from 'commander';
import { endOf, exits } from './exits';
import { programOf } from './program';

/** Put in by tools/build.mjs. */
declare const CARILLON_VERSION: string;

/** The code of what was thrown, after its words. Of commander's own errors commander has told already. */
function exitOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage;
  const end = endOf(error);
  process.stderr.write(`carillon: ${end?.words ?? (error instanceof Error ? error.stack : String(error))}\n`);
  return end?.exit ?? exits.refused;
}

// Who read the output has seen enough of it.
process.stdout.on('error', () => process.exit(exits.done));
let exit: number;
try {
  await programOf(process.env, CARILLON_VERSION).parseAsync(process.argv);
  exit = Number(process.exitCode ?? exits.done);
} catch (error) {
  exit = exitOf(error);
}
process.exit(exit);
