import { type Instant, plus } from '@carillon/eventing';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pauses between attempts; the first attempt is made at once. About 75.6 hours in all. */
const backoffs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

export const maxAttempts = backoffs.length + 1;

/** Maximum `Retry-After` that is respected. */
const maxRetryAfterMs = 24 * hour;

/** Each backoff is up to a tenth shorter or longer, so that deliveries that failed together do not retry together. */
const jitter = 0.1;

export interface Failed {
  /** Attempts made so far, this one included. */
  readonly tries: number;
  /** When the attempt ended. */
  readonly at: Instant;
  /** The receiver's `Retry-After`. */
  readonly retryAfterMs: number | null;
  /** From 0 up to 1. */
  readonly chance: number;
}

/** When the next attempt is due after a failed one; null after the last. */
export function nextAttempt({ tries, at, retryAfterMs, chance }: Failed): Instant | null {
  const backoff = backoffs[tries - 1];
  if (backoff === undefined) return null;
  const planned = Math.round(backoff * (1 - jitter + 2 * jitter * chance));
  return plus(at, Math.max(planned, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)));
}

/** The value of `Retry-After`, seconds or a date, as milliseconds from now; null when it is neither. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * second;
  // An HTTP date begins with the day of the week; `Date.parse` alone accepts many other texts.
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
