import { type Instant, isAfter, millis } from '@carillon/eventing';

/** An endpoint without a success for this time is switched off. */
const maxFailingMs = 5 * 24 * 60 * 60 * 1000;
/**
 * Slightly more than the longest pause between two attempts of a delivery, 24 hours and a tenth. A longer pause tells
 * nothing about the receiver.
 */
const maxPauseMs = 30 * 60 * 60 * 1000;

/** The failures of an endpoint since its last success. */
export interface Failing {
  readonly since: Instant;
  readonly lastFailedAt: Instant;
}

/** The failures after one more failed attempt. */
export function failingOn(known: Failing | undefined, attemptedAt: Instant): Failing {
  if (!known || millis(attemptedAt) - millis(known.lastFailedAt) > maxPauseMs)
    return { since: attemptedAt, lastFailedAt: attemptedAt };
  return {
    ...known,
    lastFailedAt: isAfter(attemptedAt, known.lastFailedAt) ? attemptedAt : known.lastFailedAt,
  };
}

export interface FailedAttempt {
  readonly responseCode: number | null;
  readonly attemptedAt: Instant;
  /** The first failure since a success, a long pause, or a change that switched the endpoint on or moved it. */
  readonly failingSince: Instant;
}

/** Why to switch off an endpoint after a failed attempt; null while it may still recover. */
export function verdict({
  responseCode,
  attemptedAt,
  failingSince,
}: FailedAttempt): 'gone' | 'failing' | null {
  if (responseCode === 410) return 'gone';
  return millis(attemptedAt) - millis(failingSince) >= maxFailingMs ? 'failing' : null;
}

/** The notice to the endpoint's owner. */
export const noticeOf = (reason: 'gone' | 'failing', name: string): { title: string; body: string } => ({
  title: 'A reply webhook was switched off',
  body:
    reason === 'gone'
      ? `The receiver of "${name}" says that it is gone (410). It gets no more events until you switch it on again.`
      : `Every delivery to "${name}" has failed for five days. It gets no more events until you switch it on again.`,
});
