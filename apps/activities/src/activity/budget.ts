import { type Instant, millis } from '@carillon/eventing';

/** What an activity may have of high-priority updates, in windows that roll. */
const windows = [
  { ms: 60_000, max: 4 },
  { ms: 3_600_000, max: 20 },
] as const;

const maxDurationMs = Math.max(...windows.map(({ ms }) => ms));

/** When high updates were granted, newest last: those that a window may still hold. */
export type Grants = readonly Instant[];

/**
 * True when every window that ends now has capacity. A grant counts until exactly as long as the window after it; one of a
 * replica whose clock runs ahead counts too.
 */
export function hasBudget(grants: Grants, at: Instant): boolean {
  const now = millis(at);
  return windows.every(({ ms, max }) => grants.filter((granted) => millis(granted) > now - ms).length < max);
}

/** With one more, and without those that no window can hold any more. */
export const granted = (grants: Grants, at: Instant): Grants => [
  ...grants.filter((before) => millis(before) > millis(at) - maxDurationMs),
  at,
];
