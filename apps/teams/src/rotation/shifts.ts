import { compareInstants, type Instant, isAfter, isBefore, later, millis, plus } from '@carillon/eventing';
import { handoff, mostTurns, type RotationSchedule, turnAt, whoseTurn } from './rotation';

/** From `startsAt` up to, not including, `endsAt`. */
export interface TimeWindow {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** Puts one member on call for a window, regardless of turns. Overrides of one group do not overlap. */
export interface Override extends TimeWindow {
  readonly overrideId: string;
  readonly accountId: string;
}

/** The member on call in a window. */
export interface Shift extends TimeWindow {
  readonly accountId: string;
  /** Null for a turn of the rotation, or the part of it that overrides leave. */
  readonly overrideId: string | null;
}

/** A rotation with its overrides. */
export interface Schedule {
  readonly rotation: RotationSchedule;
  readonly overrides: readonly Override[];
}

export interface Turn extends TimeWindow {
  readonly turn: number;
  readonly accountId: string | null;
}

/**
 * The turns that overlap a window, in full and in order. Turns without any time, due to clock changes, are left out.
 */
export function* turnsIn(rotation: RotationSchedule, { startsAt, endsAt }: TimeWindow): Generator<Turn> {
  const first = turnAt(rotation, startsAt);
  const last = first + mostTurns(rotation, millis(endsAt) - millis(startsAt));
  let begins = handoff(rotation, first);
  while (begins.turn <= last && isBefore(begins.at, endsAt)) {
    const ends = handoff(rotation, begins.turn + 1);
    const { turn, at } = begins;
    if (isBefore(at, ends.at))
      yield { turn, accountId: whoseTurn(rotation, turn), startsAt: at, endsAt: ends.at };
    begins = ends;
  }
}

/** The shifts that overlap a window, whole, in their order: overrides, and what they leave of the turns. */
export const shiftsIn = (schedule: Schedule, window: TimeWindow): Shift[] => [
  ...eachShiftIn(schedule, window),
];

/** As `shiftsIn`, but lazy: the handoff of each turn costs a zone lookup. */
export function* eachShiftIn({ rotation, overrides }: Schedule, window: TimeWindow): Generator<Shift> {
  const taken = overrides.filter((override) => overlap(override, window)).sort(byStart);
  for (const { accountId, ...turn } of turnsIn(rotation, window)) {
    if (accountId === null) continue;
    for (const { startsAt, endsAt } of without(turn, overrides)) {
      if (!overlap({ startsAt, endsAt }, window)) continue;
      while (taken[0] && !isAfter(taken[0].startsAt, startsAt)) yield byOverride(taken.shift() as Override);
      yield { accountId, overrideId: null, startsAt, endsAt };
    }
  }
  yield* taken.map(byOverride);
}

const byOverride = ({ overrideId, accountId, startsAt, endsAt }: Override): Shift => ({
  accountId,
  overrideId,
  startsAt,
  endsAt,
});

/** The shift at a time; null when nobody is on call. */
export function shiftAt(schedule: Schedule, at: Instant): Shift | null {
  const [found = null] = eachShiftIn(schedule, { startsAt: at, endsAt: plus(at, 1) });
  return found;
}

const upcomingMs = 60 * 24 * 60 * 60 * 1000;
const maxUpcoming = 10;

/** The shifts that begin within 60 days after a time, at most ten. */
export function upcomingAfter(schedule: Schedule, at: Instant): Shift[] {
  const upcoming: Shift[] = [];
  for (const shift of eachShiftIn(schedule, { startsAt: at, endsAt: plus(at, upcomingMs) })) {
    if (isAfter(shift.startsAt, at)) upcoming.push(shift);
    if (upcoming.length === maxUpcoming) break;
  }
  return upcoming;
}

/** The parts of a window that others leave. */
export function without(whole: TimeWindow, taken: readonly TimeWindow[]): TimeWindow[] {
  const left: TimeWindow[] = [];
  let from = whole.startsAt;
  for (const { startsAt, endsAt } of taken.filter((each) => overlap(each, whole)).sort(byStart)) {
    if (isBefore(from, startsAt)) left.push({ startsAt: from, endsAt: startsAt });
    from = later(from, endsAt);
  }
  if (isBefore(from, whole.endsAt)) left.push({ startsAt: from, endsAt: whole.endsAt });
  return left;
}

export const overlap = (a: TimeWindow, b: TimeWindow): boolean =>
  isBefore(a.startsAt, b.endsAt) && isBefore(b.startsAt, a.endsAt);

export const byStart = (a: TimeWindow, b: TimeWindow): number => compareInstants(a.startsAt, b.startsAt);
