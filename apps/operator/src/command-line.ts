import { Refused, sentenceOf } from '@carillon/eventing';

/** The command line is wrong: the program prints its usage and ends with exit code 2. */
export class BadUsage extends Error {
  override readonly name = 'BadUsage';
}

/** The result of `parseArgs`. What that throws becomes `BadUsage`. */
export function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw new BadUsage(sentenceOf(error));
  }
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The message for the operator. After a refusal it names the fields that the contract does not accept. */
export const failureOf = (error: unknown): string =>
  [sentenceOf(error), ...issuesOf(error).map(({ path, message }) => `${path} ${message}`)].join(', ');

const issuesOf = (error: unknown): readonly Issue[] =>
  error instanceof Refused && Array.isArray(error.details['issues']) ? error.details['issues'] : [];

/** Runs a program. Its answer goes to stdout, everything else to stderr. */
export async function runProgram(usage: string, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof BadUsage) {
      if (error.message) console.error(error.message);
      console.error(usage);
      process.exitCode = 2;
      return;
    }
    console.error(`Not done: ${failureOf(error)}`);
    process.exitCode = 1;
  }
}
