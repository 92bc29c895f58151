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

/** The current shifts and those of the next 180 days as an iCalendar object (RFC 5545), at most the first thousand. */
export function calendarOf({ title, groups, accountId, nameOf, now }: Feed): string {
  const window = { startsAt: now, endsAt: plus(now, aheadMs) };
  const entries = groups
    .flatMap((group) => shiftsIn(group, window).map((shift) => ({ group, shift })))
    .filter(({ shift }) => accountId === null || shift.accountId === accountId)
    .filter(({ shift }) => second(shift.startsAt) < second(shift.endsAt))
    .sort((one, other) => compareInstants(one.shift.startsAt, other.shift.startsAt))
    .slice(0, most);
  const zones = new Set(groups.map(({ rotation }) => rotation.timezone));
  const covered = entries.reduce((sum: TimeWindow, { shift }) => around(sum, shift), window);
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
      ...entries.flatMap((entry) =>
        event(
          entry,
          accountId === null
            ? `${entry.group.name}: ${nameOf(entry.shift.accountId)}`
            : `On call: ${entry.group.name}`,
        ),
      ),
    ),
  );
}

const event = (
  { group, shift: { startsAt, endsAt, overrideId } }: CalendarEntry,
  summary: string,
): string[] =>
  component(
    'VEVENT',
    property('UID', `${group.groupId}-${utcStamp(startsAt)}@carillon`),
    property('DTSTAMP', utcStamp(group.updatedAt)),
    `DTSTART${time(startsAt, group.rotation.timezone)}`,
    `DTEND${time(endsAt, group.rotation.timezone)}`,
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
