import { earlier, isBefore, later, plus } from '@carillon/eventing';
import { handoff } from './rotation';
import { byStart, overlap, type Override, type Schedule, type TimeWindow, without } from './shifts';

/** The gaps and overlaps of a schedule. */
export interface Coverage {
  readonly gaps: readonly TimeWindow[];
  readonly overlaps: readonly (TimeWindow & { readonly accountIds: readonly string[] })[];
}

/**
 * The coverage of a whole window. The turns of a rotation follow each other without a gap from the first handoff on,
 * and give way to overrides, so none of them has to be computed: a year of daily handoffs costs 366 zone lookups.
 */
export function coverageOf({ rotation, overrides }: Schedule, window: TimeWindow): Coverage {
  const shifts = overrides
    .filter((override) => overlap(override, window))
    .sort(byStart)
    .map((override) => cutTo(override, window));
  const turns = rotation.accountIds.length > 0 ? [{ ...window, startsAt: handoff(rotation, 0).at }] : [];
  return {
    gaps: without(window, [...shifts, ...turns.filter((each) => overlap(each, window))]),
    overlaps: overlapsOf(shifts),
  };
}

const dayMs = 24 * 60 * 60 * 1000;

/** The window of the warnings after a change: as far ahead as overrides may start. */
export const horizon = (from: string): TimeWindow => ({ startsAt: from, endsAt: plus(from, 366 * dayMs) });

/** Overlaps of shifts sorted by start: after the first shift that starts past the end of one, no other overlaps it. */
function overlapsOf(shifts: readonly Override[]): Coverage['overlaps'] {
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

const cutTo = (shift: Override, { startsAt, endsAt }: TimeWindow): Override => ({
  ...shift,
  startsAt: later(shift.startsAt, startsAt),
  endsAt: earlier(shift.endsAt, endsAt),
});
