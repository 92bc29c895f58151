import { Refused } from './decider';

const isFor = (error: unknown, reason: string): boolean =>
  error instanceof Refused && error.reason === reason;

/** The result; undefined when it is refused for this reason, such as a missing thing. */
export async function unless<Found>(reason: string, asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isFor(error, reason)) return undefined;
    throw error;
  }
}

/** The result. A refusal for `reason` is thrown as one for `other`, the caller's name for the same condition. */
export async function refusedAs<Found>(reason: string, other: string, asked: Promise<Found>): Promise<Found> {
  try {
    return await asked;
  } catch (error) {
    throw isFor(error, reason) ? new Refused(other) : error;
  }
}
