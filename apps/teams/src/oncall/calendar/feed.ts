import { compareInstants, earlier, type Instant, later, millis, plus } from '@carillon/eventing';
import { type Shift, shiftsIn, type TimeWindow } from '../../rotation/shifts';
import type { OncallGroup } from '../../team/oncall';
import { component, property, text, written } from './lines';
import { time, utcStamp, zone } from './zone';

export interface Feed {
  readonly title: string;
  readonly groups: readonly OncallGroup[];
  /** The account whose shifts are included; null for those of all members. */
  readonly accountId: string | null;
  readonly nameOf: (accountId: string) => string;
  readonly now: Instant;
}

interface CalendarEntry {
  readonly group: OncallGroup;
  readonly shift: Shift;
}

const aheadMs = 180 * 24 * 60 * 60 * 1000;
const most = 1_000;

/** How many events are written at a time. */
const eventsAtOnce = 50;

/**
 * The current shifts and those of the next 180 days as an iCalendar object (RFC 5545), at most the first thousand.
 * Yields between its parts, so that the calendar of somebody in many groups does not hold the event loop.
 */
export function* calendarOf({ title, groups, accountId, nameOf, now }: Feed): Generator<undefined, string> {
  const window = { startsAt: now, endsAt: plus(now, aheadMs) };
  const found: CalendarEntry[] = [];
  for (const group of groups) {
    for (const shift of shiftsIn(group, window))
      if (accountId === null || shift.accountId === accountId) found.push({ group, shift });
    yield;
  }
  const entries = found
    .filter(({ shift }) => second(shift.startsAt) < second(shift.endsAt))
    .sort((one, other) => compareInstants(one.shift.startsAt, other.shift.startsAt))
    .slice(0, most);
  const timeIn = timesOf();
  const zones = new Set(groups.map(({ rotation }) => rotation.timezone));
  const covered = entries.reduce((sum: TimeWindow, { shift }) => around(sum, shift), window);
  const events: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const { name } = entry.group;
    const summary = accountId === null ? `${name}: ${nameOf(entry.shift.accountId)}` : `On call: ${name}`;
    events.push(...event(entry, summary, timeIn));
    if (index % eventsAtOnce === eventsAtOnce - 1) yield;
  }
  return written(
    component(
      'VCALENDAR',
      property('VERSION', '2.0'),
      property('PRODID', '-//Carillon//On call//EN'),
      property('CALSCALE', 'GREGORIAN'),
      property('NAME', text(title)),
      property('X-WR-CALNAME', text(title)),
      property('REFRESH-INTERVAL;VALUE=DURATION', 'PT1H'),
      ...[...(zones.size > 0 ? zones : ['UTC'])].flatMap((timezone) => zone(timezone, covered)),
      ...events,
    ),
  );
}

/** One shift ends where the next begins, and asking a zone is what a calendar costs: each time is asked once. */
function timesOf(): typeof time {
  const known = new Map<string, string>();
  return (at, timezone) => {
    const key = `${at} ${timezone}`;
    const found = known.get(key) ?? time(at, timezone);
    known.set(key, found);
    return found;
  };
}

const event = (
  { group, shift: { startsAt, endsAt, overrideId } }: CalendarEntry,
  summary: string,
  timeIn: typeof time,
): string[] =>
  component(
    'VEVENT',
    property('UID', `${group.groupId}-${utcStamp(startsAt)}@carillon`),
    property('DTSTAMP', utcStamp(group.updatedAt)),
    `DTSTART${timeIn(startsAt, group.rotation.timezone)}`,
    `DTEND${timeIn(endsAt, group.rotation.timezone)}`,
    property('SUMMARY', text(summary)),
    ...(overrideId === null ? [] : [property('DESCRIPTION', 'Taken over by an override.')]),
    property('TRANSP', 'TRANSPARENT'),
  );

/** Truncates a time to seconds, the resolution of iCalendar. */
const second = (at: Instant): number => Math.floor(millis(at) / 1_000);

const around = (one: TimeWindow, other: TimeWindow): TimeWindow => ({
  startsAt: earlier(one.startsAt, other.startsAt),
  endsAt: later(one.endsAt, other.endsAt),
});
