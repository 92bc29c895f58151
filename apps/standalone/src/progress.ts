/** Tells a person what happens, a line per part, on standard error: standard output is left to the services' logs. */
export class Progress {
  constructor(private readonly write: (text: string) => void = (text) => process.stderr.write(text)) {}

  say(part: string, text: string): void {
    this.write(`${part.padEnd(14)} ${text}\n`);
  }

  /** Says how long the work took and what came of it. */
  async timed<Result>(
    part: string,
    work: () => Promise<Result>,
    tell: (result: Result) => string,
  ): Promise<Result> {
    const started = Date.now();
    const result = await work();
    this.say(part, `${tell(result)} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    return result;
  }
}

/** A part could not be started or died. Says which, why, and where more is written. */
export class PartFailed extends Error {
  constructor(
    readonly part: string,
    readonly reason: string,
    readonly logFile?: string,
    options?: ErrorOptions,
  ) {
    super(`${part}: ${reason}`, options);
  }
}

/** The same error, with the part named when it did not name one itself. */
export const failedIn = (part: string, error: unknown, logFile?: string): PartFailed =>
  error instanceof PartFailed
    ? error
    : new PartFailed(part, error instanceof Error ? error.message || error.name : String(error), logFile, {
        cause: error,
      });
