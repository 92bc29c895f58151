import { type Instant } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';

/** How long an idempotency key means the same request. */
export const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** What was made in the team by requests that may carry a key, also what is deleted by now, newest first. */
export interface Made {
  readonly id: string;
  readonly fingerprint: string | null;
  readonly at: Instant;
  readonly before: Made | null;
}

export const withMade = (
  before: Made | null,
  id: string,
  { fingerprint, createdAt }: { readonly fingerprint: string | null; readonly createdAt: Instant },
): Made => ({ id, fingerprint, at: createdAt, before });

/**
 * What was made under this id, be it deleted by now. By the tail of the id alone: one that derives from an idempotency
 * key has another time in front each time.
 */
export function madeAs(state: { readonly made: Made | null } | null, id: string): Made | undefined {
  const tail = streamTail(id);
  for (let one = state?.made; one; one = one.before) if (streamTail(one.id) === tail) return one;
  return undefined;
}
