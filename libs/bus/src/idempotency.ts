import type { Context } from './envelope';
import { type Instant, millis, Refused } from '@carillon/eventing';

/** The lifetime of an idempotency key. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** True when the request may have been executed before: it has an idempotency key, or the bus repeats it. */
export const mayBeRepetition = ({ idempotency, again }: Context): boolean =>
  idempotency !== undefined || again === true;

/** The stream of this id belongs to an earlier, expired use of the key. */
class KeyUsedUp extends Error {}

/** For an attempt whose stream exists: throws when the key has expired, so that the next id is used. */
export function insistOnSameUse(begunAt: Instant | undefined, now: Instant): void {
  if (begunAt !== undefined && millis(now) - millis(begunAt) >= keyLifetimeMs) throw new KeyUsedUp();
}

const isDeleted = (error: unknown): boolean => error instanceof Refused && error.reason === 'stream.deleted';

export interface Creating<Result> {
  /** The id derived from these parts, the route, and the owner of the key. */
  idOf(...parts: readonly string[]): string;
  /**
   * Creates the thing with this id, or answers as the first request did. Begins with `insistOnSameUse`. Refused
   * `stream.deleted` when the thing was deleted after its retention.
   */
  attempt(id: string): Promise<Result>;
  /** Whether the thing was ever created, also when it was deleted after its retention. */
  exists(id: string): Promise<boolean>;
}

/**
 * Makes the attempt under the id of the request. Without an idempotency key the command id serves as one, so that the
 * request can be repeated. A key may be used again a day after its first use; each use is a generation with its own
 * stream, created in order and without gaps. The attempt uses the newest generation, or the next one when the newest
 * has expired.
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
      if (error instanceof KeyUsedUp || isDeleted(error)) return undefined;
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
 * Finds the newest existing generation, given that generation 0 exists, in a logarithmic number of calls.
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
