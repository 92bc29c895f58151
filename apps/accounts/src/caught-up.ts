import { Refused } from '@carillon/eventing';

/**
 * Waits until the rows have what was just appended, so that a new secret works at once. When they are late the answer is
 * given all the same: what it says has happened, and a secret could not be given again.
 */
export async function caughtUp(
  projections: { reached(name: string, position: string): Promise<void> },
  name: string,
  position: bigint,
): Promise<void> {
  try {
    await projections.reached(name, String(position));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
