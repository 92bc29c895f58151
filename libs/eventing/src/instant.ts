/**
 * A moment as ISO 8601 in UTC with milliseconds, `2026-11-20T17:29:00.000Z`. Never compared as text: the year 10000 is
 * `+010000-…`, which sorts before every other.
 */
export type Instant = string;

/** `ms` since the Unix epoch as an `Instant`. */
export const instant = (ms: number): Instant => new Date(ms).toISOString();

export const millis = (at: Instant): number => Date.parse(at);

/** The moment `ms` milliseconds later (earlier when negative). */
export const plus = (at: Instant, ms: number): Instant => instant(millis(at) + ms);

/** Microseconds since the Unix epoch, the unit of sort keys in cursors. */
export const micros = (at: Instant): number => millis(at) * 1_000;

export const fromMicros = (value: number): Instant => instant(Math.floor(value / 1_000));

export const isBefore = (at: Instant, other: Instant): boolean => millis(at) < millis(other);

export const isAfter = (at: Instant, other: Instant): boolean => millis(at) > millis(other);

/** For sorting: below 0 when the first is earlier. */
export const compareInstants = (one: Instant, other: Instant): number => millis(one) - millis(other);

export const earlier = (one: Instant, other: Instant): Instant => (isBefore(other, one) ? other : one);

export const later = (one: Instant, other: Instant): Instant => (isAfter(other, one) ? other : one);
