import { earlier, isBefore, later, plus } from '@carillon/eventing';
import { type Schedule, type Shift, shiftsIn, type TimeWindow, without } from './shifts';

/** Where a schedule leaves nobody on call, and where it has several at once. */
export interface Coverage {
  readonly gaps: readonly TimeWindow[];
  readonly overlaps: readonly (TimeWindow & { readonly accountIds: readonly string[] })[];
}

/** Of all the time of a window. */
export function coverageOf(schedule: Schedule, window: TimeWindow): Coverage {
  const shifts = shiftsIn(schedule, window).map((shift) => cutTo(shift, window));
  return { gaps: without(window, shifts), overlaps: overlapsOf(shifts) };
}

const dayMs = 24 * 60 * 60 * 1000;

/** What is told of after every change: as far ahead as overrides may be made. */
export const horizon = (from: string): TimeWindow => ({ startsAt: from, endsAt: plus(from, 366 * dayMs) });

/** Of shifts in the order of their starts: behind the first that does not reach into one, no other does. */
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
