import { type Instant, millis } from '@carillon/eventing';
import { Temporal } from 'temporal-polyfill';
import type { TimeWindow } from '../../rotation/shifts';
import { component, property } from './lines';

/** The maximum number of clock changes of a window of some months; no zone has had more than four in a year. */
const mostChanges = 100;

/**
 * The clock changes of a zone in a window and the last one before it, each listed separately: recurrence rules would be
 * guesses about future years.
 */
export function zone(timezone: string, { startsAt, endsAt }: TimeWindow): string[] {
  const observances: string[] = [];
  const before = there(startsAt, timezone);
  let change = before.getTimeZoneTransition('previous');
  if (!change) observances.push(...observance('STANDARD', '19700101T000000', before, before));
  change ??= before.getTimeZoneTransition('next');
  for (
    let count = 0;
    change && count < mostChanges && change.epochMilliseconds < millis(endsAt);
    count += 1
  ) {
    const last = change.subtract({ nanoseconds: 1 });
    const nanoseconds = last.offsetNanoseconds - change.offsetNanoseconds;
    const onset = stamp(change.toPlainDateTime().add({ nanoseconds }));
    const kind = change.offsetNanoseconds > last.offsetNanoseconds ? 'DAYLIGHT' : 'STANDARD';
    observances.push(...observance(kind, onset, last, change));
    change = change.getTimeZoneTransition('next');
  }
  return component('VTIMEZONE', property('TZID', timezone), ...observances);
}

/**
 * A time as the rest of its property: the wall clock time of the zone, or UTC for the second occurrence of an ambiguous
 * wall clock time, which would be read as the first. Truncated to seconds, the resolution of iCalendar.
 */
export function time(at: Instant, timezone: string): string {
  const local = there(at, timezone);
  const meant = local.toPlainDateTime().toZonedDateTime(timezone);
  return meant.epochMilliseconds === local.epochMilliseconds
    ? `;TZID=${timezone}:${stamp(local.toPlainDateTime())}`
    : `:${utcStamp(at)}`;
}

export const utcStamp = (at: Instant): string =>
  `${new Date(millis(at)).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

const observance = (
  kind: 'STANDARD' | 'DAYLIGHT',
  onset: string,
  from: Temporal.ZonedDateTime,
  to: Temporal.ZonedDateTime,
): string[] =>
  component(
    kind,
    property('DTSTART', onset),
    property('TZOFFSETFROM', offset(from)),
    property('TZOFFSETTO', offset(to)),
  );

const offset = ({ offset: written }: Temporal.ZonedDateTime): string => written.replaceAll(':', '');

const stamp = (at: Temporal.PlainDateTime): string =>
  at.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '');

const there = (at: Instant, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(millis(at) / 1_000) * 1_000).toZonedDateTimeISO(timezone);
