/**
 * An idempotency key may be used again a day after its first use; each use is a generation with a stream of its own,
 * made in order and without gaps. Finds the newest one that exists, given that generation 0 does, in a number of
 * looks that grows with the logarithm.
 */
export async function newestGeneration(exists: (generation: number) => Promise<boolean>): Promise<number> {
  let there = 0;
  let step = 1;
  while (await exists(there + step)) {
    there += step;
    step *= 2;
  }
  while (step > 1) {
    step /= 2;
    if (await exists(there + step)) there += step;
  }
  return there;
}
