import { earlier, isBefore, later, plus } from '@carillon/eventing';
import { type Schedule, type Shift, shiftsIn, type TimeWindow, without } from './shifts';

/** The gaps and overlaps of a schedule. */
export interface Coverage {
  readonly gaps: readonly TimeWindow[];
  readonly overlaps: readonly (TimeWindow & { readonly accountIds: readonly string[] })[];
}

/** The coverage of a whole window. */
export function coverageOf(schedule: Schedule, window: TimeWindow): Coverage {
  const shifts = shiftsIn(schedule, window).map((shift) => cutTo(shift, window));
  return { gaps: without(window, shifts), overlaps: overlapsOf(shifts) };
}

const dayMs = 24 * 60 * 60 * 1000;

/** The window of the warnings after a change: as far ahead as overrides may start. */
export const horizon = (from: string): TimeWindow => ({ startsAt: from, endsAt: plus(from, 366 * dayMs) });

/** Overlaps of shifts sorted by start: after the first shift that starts past the end of one, no other overlaps it. */
function overlapsOf(shifts: readonly Shift[]): Coverage['overlaps'] {
  const overlaps: Coverage['overlaps'][number][] = [];
  for (const [index, { endsAt, accountId }] of shifts.entries())
    for (let next = index + 1; ; next += 1) {
      const other = shifts[next];
      if (!other || !isBefore(other.startsAt, endsAt)) break;
      overlaps.push({
        startsAt: other.startsAt,
        endsAt: earlier(other.endsAt, endsAt),
        accountIds: [accountId, other.accountId],
      });
    }
  return overlaps;
}

const cutTo = (shift: Shift, { startsAt, endsAt }: TimeWindow): Shift => ({
  ...shift,
  startsAt: later(shift.startsAt, startsAt),
  endsAt: earlier(shift.endsAt, endsAt),
});
