import { type Instant, millis } from '@carillon/eventing';

/** The maximum numbers of high-priority updates per activity, in rolling windows. */
const windows = [
  { ms: 60_000, max: 4 },
  { ms: 3_600_000, max: 20 },
] as const;

const maxDurationMs = Math.max(...windows.map(({ ms }) => ms));

/** The times of granted high-priority updates that a window may still include, newest last. */
export type Grants = readonly Instant[];

/**
 * True when every window that ends now has budget left. A grant counts for exactly the length of the window; a grant by
 * a replica whose clock runs ahead counts too.
 */
export function hasBudget(grants: Grants, at: Instant): boolean {
  const now = millis(at);
  return windows.every(({ ms, max }) => grants.filter((granted) => millis(granted) > now - ms).length < max);
}

/** The grants with one added, and without those that are outside every window. */
export const granted = (grants: Grants, at: Instant): Grants => [
  ...grants.filter((before) => millis(before) > millis(at) - maxDurationMs),
  at,
];
