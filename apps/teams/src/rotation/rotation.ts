import type { RotationFact, RotationPeriod } from '@carillon/contracts';
import { type Instant, instant, isAfter, millis } from '@carillon/eventing';
import { Temporal } from 'temporal-polyfill';

/** The schedule of turns, as in the log. It is empty once its last member has left the team. */
export type RotationSchedule = RotationFact;

/** The begin of a turn. */
export interface Handoff {
  readonly turn: number;
  readonly at: Instant;
}

const dayMs = 24 * 60 * 60 * 1000;
const daysOf = (period: RotationPeriod): number => (period === 'daily' ? 1 : 7);

/**
 * The handoff that begins a turn: whole periods of local days after the anchor, at `handoffAt`. A time skipped by a
 * clock change moves forward by the skipped time; of a repeated time, the first counts (RFC 5545, 3.3.5).
 */
export const handoff = (rotation: RotationSchedule, turn: number): Handoff => ({
  turn,
  at: instant(wallClock(rotation, turn).toZonedDateTime(rotation.timezone).epochMilliseconds),
});

/**
 * Minutes by which a clock change moves a handoff: positive when its time is skipped, negative (the distance to the
 * second occurrence) when its time is repeated, else 0.
 */
export function shiftedByMinutes(rotation: RotationSchedule, turn: number): number {
  const wanted = wallClock(rotation, turn);
  const got = wanted.toZonedDateTime(rotation.timezone);
  const leftOut = wanted.until(got.toPlainDateTime(), { largestUnit: 'minute' }).minutes;
  if (leftOut !== 0) return leftOut;
  const second = wanted.toZonedDateTime(rotation.timezone, { disambiguation: 'later' });
  return (got.epochMilliseconds - second.epochMilliseconds) / 60_000 || 0;
}

const wallClock = ({ anchor, period, handoffAt }: RotationSchedule, turn: number): Temporal.PlainDateTime =>
  Temporal.PlainDate.from(anchor)
    .add({ days: turn * daysOf(period) })
    .toPlainDateTime(Temporal.PlainTime.from(handoffAt));

/** Maximum distance of a handoff from its local date, in turns: a zone may skip a whole day, and the time within it. */
const spare = 3;

/**
 * The number of the turn at a time, negative before the first handoff. The cost does not depend on the age of the
 * anchor. When two handoffs coincide (Apia skipped a day in 2011), the later turn counts.
 */
export function turnAt(rotation: RotationSchedule, at: Instant): number {
  const local = localDate(at, rotation.timezone);
  const days = Temporal.PlainDate.from(rotation.anchor).until(local, { largestUnit: 'day' }).days;
  const latest = Math.floor(days / daysOf(rotation.period)) + spare;
  for (let turn = latest; turn >= latest - 2 * spare; turn -= 1)
    if (!isAfter(handoff(rotation, turn).at, at)) return turn;
  throw new Error(`No turn of ${rotation.timezone} has begun by ${at}`);
}

/** An upper bound of the turns that overlap a duration, so that loops over turns always end. */
export const mostTurns = ({ period }: RotationSchedule, ms: number): number =>
  Math.ceil(ms / (daysOf(period) * dayMs)) + 2 * spare;

/** The member whose turn it is; null before the first handoff or in an empty rotation. */
export function whoseTurn({ accountIds }: RotationSchedule, turn: number): string | null {
  return turn < 0 ? null : (accountIds[turn % accountIds.length] ?? null);
}

/**
 * The local date from which turns count: that of `startsAt`, or by default that of the newest handoff before now, which
 * for a weekly rotation is on today's weekday.
 */
export function anchorOf(
  { period, handoffAt, timezone }: Pick<RotationSchedule, 'period' | 'handoffAt' | 'timezone'>,
  startsAt: Instant | undefined,
  now: Instant,
): string {
  if (startsAt !== undefined) return localDate(startsAt, timezone).toString();
  const anchor = localDate(now, timezone);
  const today = { accountIds: [], period, handoffAt, timezone, anchor: anchor.toString() };
  const late = isAfter(handoff(today, 0).at, now);
  return (late ? anchor.subtract({ days: daysOf(period) }) : anchor).toString();
}

const localDate = (at: Instant, timezone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(millis(at)).toZonedDateTimeISO(timezone).toPlainDate();
