import type { RotationFact, RotationPeriod } from '@carillon/contracts';
import { type Instant, instant, isAfter, millis } from '@carillon/eventing';
import { Temporal } from 'temporal-polyfill';

/** The schedule of turns, as the log has it. Nobody takes any once the last of them has left the team. */
export type RotationSchedule = RotationFact;

/** When the turn of this number begins. */
export interface Handoff {
  readonly turn: number;
  readonly at: Instant;
}

const dayMs = 24 * 60 * 60 * 1000;
const daysOf = (period: RotationPeriod): number => (period === 'daily' ? 1 : 7);

/**
 * The handoff by which a turn begins: so many local days after the anchor at `handoffAt`. A time that a clock change
 * leaves out moves forward by what is left out, of one that comes twice the first counts (RFC 5545, 3.3.5).
 */
export const handoff = (rotation: RotationSchedule, turn: number): Handoff => ({
  turn,
  at: instant(wallClock(rotation, turn).toZonedDateTime(rotation.timezone).epochMilliseconds),
});

/**
 * By how many minutes a clock change moves a handoff: so many later where its time is left out, so many before the second
 * time (negative) where it comes twice; 0 on any other day.
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

/** How far a handoff may lie from its local date: where a whole day is left out, and the time in it too. */
const spare = 3;

/**
 * The number of the turn at a time, negative before the first handoff. What it costs does not depend on how long ago the
 * anchor is. Where two handoffs fall together (Apia skipped a day in 2011) the later turn has it.
 */
export function turnAt(rotation: RotationSchedule, at: Instant): number {
  const local = localDate(at, rotation.timezone);
  const days = Temporal.PlainDate.from(rotation.anchor).until(local, { largestUnit: 'day' }).days;
  const latest = Math.floor(days / daysOf(rotation.period)) + spare;
  for (let turn = latest; turn >= latest - 2 * spare; turn -= 1)
    if (!isAfter(handoff(rotation, turn).at, at)) return turn;
  throw new Error(`No turn of ${rotation.timezone} has begun by ${at}`);
}

/** More turns than can overlap so much time: what goes through them ends, whatever it is asked for. */
export const mostTurns = ({ period }: RotationSchedule, ms: number): number =>
  Math.ceil(ms / (daysOf(period) * dayMs)) + 2 * spare;

/** Whose turn it is; nobody before the first handoff, or when nobody is left. */
export function whoseTurn({ accountIds }: RotationSchedule, turn: number): string | null {
  return turn < 0 ? null : (accountIds[turn % accountIds.length] ?? null);
}

/**
 * The local date from which turns count, when the first is to be on the date of `startsAt`. Without one it is that of the
 * newest handoff before now: of a weekly rotation on today's weekday.
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

/** Whether the runtime knows the zone by this name. An offset such as `+02:00` is no zone. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}

const localDate = (at: Instant, timezone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(millis(at)).toZonedDateTimeISO(timezone).toPlainDate();
