export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for what must come soon, by the wall clock. Throws what `missing` says when it does not. */
export async function eventually<Result>(
  look: () => Result | undefined | Promise<Result | undefined>,
  missing: () => string,
  withinMs = 10_000,
): Promise<Result> {
  for (const deadline = Date.now() + withinMs; ;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(missing());
    await pause(25);
  }
}
