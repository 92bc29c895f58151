import type { Context } from './envelope';
import { type Instant, millis } from '@carillon/eventing';

/** How long an idempotency key means the same request. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** True when the same may have been done before: the caller gave a key, or the bus asks once more. */
export const mayBeRepetition = ({ idempotency, again }: Context): boolean =>
  idempotency !== undefined || again === true;

/** The stream of this id belongs to a use of the key that is over. */
class KeyUsedUp extends Error {}

/** For an attempt that finds its stream begun: it is for the next id, when the key may be used for another request. */
export function insistOnSameUse(begunAt: Instant | undefined, now: Instant): void {
  if (begunAt !== undefined && millis(now) - millis(begunAt) >= keyLifetimeMs) throw new KeyUsedUp();
}

export interface Creating<Result> {
  /** The id that follows from these parts, the route, and whose key it is. */
  idOf(...parts: readonly string[]): string;
  /** Creates what has this id, or answers as the first request did. Begins with `insistOnSameUse`. */
  attempt(id: string): Promise<Result>;
  exists(id: string): Promise<boolean>;
}

/**
 * Makes the attempt under the id that belongs to the request. Without an idempotency key the command itself is one, so
 * that it can be asked again. A key may be used again a day after its first use; each use is a generation with a stream
 * of its own, made in order and without gaps: the attempt is made under the newest of them, or under the next when that
 * one is used up.
 */
export async function createOnce<Result>(
  { idempotency, commandId }: Pick<Context, 'idempotency' | 'commandId'>,
  { idOf: idFrom, attempt, exists }: Creating<Result>,
): Promise<Result> {
  if (!idempotency) return attempt(idFrom(commandId));
  const idOf = (generation: number): string => idFrom(idempotency.key, String(generation));
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
