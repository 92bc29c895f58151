import { type Instant, isAfter, isBefore, later, plus } from '@carillon/eventing';
import { eachShiftIn, type Schedule, shiftsIn } from './shifts';

/** The member on call at a time, whichever shifts of the member follow each other. */
export interface Duty {
  /** Null when nobody is on call. */
  readonly accountId: string | null;
  /** Since when. Of one that began longer ago than `lookBackMs`, at least that long ago. */
  readonly since: Instant;
  /** When somebody else is on call, or nobody; null when that is not within 60 days. */
  readonly until: Instant | null;
}

/** A schedule, and when a change of it last put somebody else on call. */
export type ChangedSchedule = Schedule & { readonly handedOverAt: Instant | null };

export const lookBackMs = 60 * 60 * 1000;
const aheadMs = 60 * 24 * 60 * 60 * 1000;

export function dutyAt(schedule: ChangedSchedule, at: Instant): Duty {
  const past = shiftsIn(schedule, { startsAt: plus(at, -lookBackMs), endsAt: plus(at, 1) });
  const newest = past.at(-1);
  const current = newest && isAfter(newest.endsAt, at) ? newest : null;
  let since = current?.startsAt ?? newest?.endsAt ?? plus(at, -lookBackMs);
  for (const shift of past.toReversed())
    if (current && shift.accountId === current.accountId && !isAfter(since, shift.endsAt))
      since = shift.startsAt;
    else if (current) break;
  const { handedOverAt } = schedule;
  if (handedOverAt !== null && !isAfter(handedOverAt, at)) since = later(since, handedOverAt);
  return { accountId: current?.accountId ?? null, since, until: changeAfter(schedule, current, at) };
}

function changeAfter(
  schedule: Schedule,
  current: { readonly accountId: string; readonly endsAt: Instant } | null,
  at: Instant,
): Instant | null {
  let until = current?.endsAt;
  for (const shift of eachShiftIn(schedule, { startsAt: at, endsAt: plus(at, aheadMs) })) {
    if (!current || until === undefined) return shift.startsAt;
    if (isAfter(shift.startsAt, until) || shift.accountId !== current.accountId) return until;
    until = shift.endsAt;
  }
  return until !== undefined && isBefore(until, plus(at, aheadMs)) ? until : null;
}
