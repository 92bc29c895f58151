import { Refused } from './decider';

const isFor = (error: unknown, reason: string): boolean =>
  error instanceof Refused && error.reason === reason;

/** What was asked for; undefined where the answer is a refusal for this reason, as when there is no such thing. */
export async function unless<Found>(reason: string, asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isFor(error, reason)) return undefined;
    throw error;
  }
}

/** What was asked for. A refusal for one reason is thrown as one for another, by which who asks names the same. */
export async function refusedAs<Found>(reason: string, other: string, asked: Promise<Found>): Promise<Found> {
  try {
    return await asked;
  } catch (error) {
    throw isFor(error, reason) ? new Refused(other) : error;
  }
}
