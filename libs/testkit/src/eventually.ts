export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls often at first, then less often, so that polling does not delay slow work. */
const leastMs = 25;
const maxMs = 100;
const share = 0.1;

/**
 * Waits for what must come, by the wall clock, as long as a machine with much else to do may take for it. Throws what
 * `missing` says when it does not.
 */
export async function eventually<Result>(
  look: () => Result | undefined | Promise<Result | undefined>,
  missing: () => string,
  withinMs = 30_000,
): Promise<Result> {
  const began = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const waitedMs = Date.now() - began;
    if (waitedMs > withinMs) throw new Error(missing());
    await pause(Math.min(maxMs, Math.max(leastMs, waitedMs * share)));
  }
}
