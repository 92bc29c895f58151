import { compareInstants, type Instant, isAfter, isBefore, later, millis, plus } from '@carillon/eventing';
import { handoff, mostTurns, type RotationSchedule, turnAt, whoseTurn } from './rotation';

/** From `startsAt` up to, not including, `endsAt`. */
export interface TimeWindow {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** Somebody takes a window over, whoever's turn it is. Those of one group do not overlap. */
export interface Override extends TimeWindow {
  readonly overrideId: string;
  readonly accountId: string;
}

/** Who is on call in a window. */
export interface Shift extends TimeWindow {
  readonly accountId: string;
  /** Null when it is a turn of the rotation, or what overrides leave of one. */
  readonly overrideId: string | null;
}

/** Who is on call, and who takes over when. */
export interface Schedule {
  readonly rotation: RotationSchedule;
  readonly overrides: readonly Override[];
}

export interface Turn extends TimeWindow {
  readonly turn: number;
  readonly accountId: string | null;
}

/** The turns that overlap a window, whole, in their order. One that its zone leaves no time for is none. */
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

/** The same, for who needs the first of them only: each turn that is looked at asks its zone for the handoff. */
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

/** The next shifts that begin after a time, within 60 days, ten at most. */
export function upcomingAfter(schedule: Schedule, at: Instant): Shift[] {
  const upcoming: Shift[] = [];
  for (const shift of eachShiftIn(schedule, { startsAt: at, endsAt: plus(at, upcomingMs) })) {
    if (isAfter(shift.startsAt, at)) upcoming.push(shift);
    if (upcoming.length === maxUpcoming) break;
  }
  return upcoming;
}

/** What windows leave of another. */
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

const overlap = (a: TimeWindow, b: TimeWindow): boolean =>
  isBefore(a.startsAt, b.endsAt) && isBefore(b.startsAt, a.endsAt);

const byStart = (a: TimeWindow, b: TimeWindow): number => compareInstants(a.startsAt, b.startsAt);
