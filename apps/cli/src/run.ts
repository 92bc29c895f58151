import { CommanderError } from 'commander';
import { endOf, exits } from './exits';
import { programOf } from './program';

/** The code of what was thrown, after its words. Of commander's own errors commander has told already. */
function exitOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage;
  const end = endOf(error);
  process.stderr.write(`carillon: ${end?.words ?? (error instanceof Error ? error.stack : String(error))}\n`);
  return end?.exit ?? exits.refused;
}

/** Runs the command that the arguments name. Returns its exit code. */
export async function run(env: NodeJS.ProcessEnv, version: string): Promise<number> {
  try {
    await programOf(env, version).parseAsync(process.argv);
    return Number(process.exitCode ?? exits.done);
  } catch (error) {
    return exitOf(error);
  }
}
