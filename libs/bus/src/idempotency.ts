import type { Context } from './envelope';
import { type Instant, millis } from '@carillon/eventing';

/** How long an idempotency key means the same request. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** True when the same may have been done before: the caller gave a key, or the bus asks once more. */
export const mayBeRepetition = ({ idempotency, again }: Context): boolean =>
  idempotency !== undefined || again === true;

/** True when the key that came at `firstUse` may be used for another request. */
export const keyIsFree = (firstUse: Instant, now: Instant): boolean =>
  millis(now) - millis(firstUse) >= keyLifetimeMs;

/** The stream of this id belongs to a use of the key that is over. */
export class KeyUsedUp extends Error {}

/**
 * An idempotency key may be used again a day after its first use; each use is a generation with a stream of its own,
 * made in order and without gaps. Makes the attempt under the newest of them, or under the next when that one is
 * used up, which the attempt tells by throwing `KeyUsedUp`.
 */
export async function underKey<Result>({
  idOf,
  attempt,
  exists,
}: {
  idOf(generation: number): string;
  attempt(id: string): Promise<Result>;
  exists(id: string): Promise<boolean>;
}): Promise<Result> {
  const tried = async (generation: number): Promise<{ result: Result } | undefined> => {
    try {
      return { result: await attempt(idOf(generation)) };
    } catch (error) {
      if (error instanceof KeyUsedUp) return undefined;
      throw error;
    }
  };
  const first = await tried(0);
  if (first) return first.result;
  const newest = await newestGeneration((generation) => exists(idOf(generation)));
  const again = await tried(newest);
  return again ? again.result : attempt(idOf(newest + 1));
}

/**
 * Finds the newest generation that exists, given that generation 0 does, in a number of looks that grows with the
 * logarithm.
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
