import { type Instant } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';

/** How long an idempotency key is bound to its request. */
export const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** Objects created in the team by requests that may have an idempotency key, including deleted ones, newest first. */
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
 * The object created under this id, even if it is deleted. Compares only the tail: an id that derives from an
 * idempotency key begins with the time of the request, which differs between requests.
 */
export function madeAs(state: { readonly made: Made | null } | null, id: string): Made | undefined {
  const tail = streamTail(id);
  for (let one = state?.made; one; one = one.before) if (streamTail(one.id) === tail) return one;
  return undefined;
}
