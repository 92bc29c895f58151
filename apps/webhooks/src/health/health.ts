import { type Instant, isAfter, millis } from '@carillon/eventing';

/** How long nothing may get through before an endpoint is given up. */
const maxFailingMs = 5 * 24 * 60 * 60 * 1000;
/**
 * The longest pause between two attempts of a delivery, 24 hours and a tenth, and some. Nobody knows how the receiver has
 * fared in a longer one.
 */
const maxPauseMs = 30 * 60 * 60 * 1000;

/** What is known of an endpoint's failures since something got through. */
export interface Failing {
  readonly since: Instant;
  readonly lastFailedAt: Instant;
}

/** With one more failed attempt. */
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
  /** The first failure since something got through, nothing was tried for long, or it was switched on or moved. */
  readonly failingSince: Instant;
}

/** Why an endpoint is to be switched off after an attempt that failed; null while it may still recover. */
export function verdict({
  responseCode,
  attemptedAt,
  failingSince,
}: FailedAttempt): 'gone' | 'failing' | null {
  if (responseCode === 410) return 'gone';
  return millis(attemptedAt) - millis(failingSince) >= maxFailingMs ? 'failing' : null;
}

/** What its owner is told. */
export const noticeOf = (reason: 'gone' | 'failing', name: string): { title: string; body: string } => ({
  title: 'A reply webhook was switched off',
  body:
    reason === 'gone'
      ? `The receiver of "${name}" says that it is gone (410). It gets no more events until you switch it on again.`
      : `Every delivery to "${name}" has failed for five days. It gets no more events until you switch it on again.`,
});
