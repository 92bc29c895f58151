import { type Instant, isAfter, isBefore, later, millis, plus, Refused } from '@carillon/eventing';
import type { TimeWindow } from '../../rotation/shifts';

const dayMs = 24 * 60 * 60 * 1000;

/** The window of an override: a start in the past becomes now. Refused `input.invalid`; `path` precedes the field. */
export function overrideWindow({ startsAt: given, endsAt }: TimeWindow, now: Instant, path = ''): TimeWindow {
  const invalid = (field: string, message: string, code: string): Refused =>
    new Refused('input.invalid', { issues: [{ path: `${path}${field}`, message, code }] });
  if (!isBefore(given, endsAt)) throw invalid('endsAt', 'must be after startsAt', 'invalid_value');
  if (!isAfter(endsAt, now)) throw invalid('endsAt', 'must be in the future', 'too_small');
  if (isAfter(given, plus(now, 366 * dayMs)))
    throw invalid('startsAt', 'must be at most 366 days ahead', 'too_big');
  const startsAt = later(given, now);
  if (millis(endsAt) - millis(startsAt) > 31 * dayMs)
    throw invalid('endsAt', 'must be at most 31 days after the start', 'too_big');
  return { startsAt, endsAt };
}
