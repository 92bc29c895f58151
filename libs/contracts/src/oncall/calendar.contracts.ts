import { Opaque, resource, type Static, uri } from '@carillon/schema';
import { answers, Nothing, Ok } from '../contract';
import { OncallGroupById } from './oncall.contracts';

export const CalendarUrl = resource(
  'CalendarUrl',
  { url: uri('Shown at no other time.') },
  'Where a calendar program reads shifts, without any other credential.',
);
export type CalendarUrl = Static<typeof CalendarUrl>;

export class CalendarByHash {
  @Opaque(64, 64) hash!: string;
}

export const Calendars = {
  open: answers(CalendarUrl)('teams.calendar.open', OncallGroupById, ['oncall_group.unknown']),
  close: answers(Ok)('teams.calendar.close', OncallGroupById, ['calendar.unknown']),
  openOwn: answers(CalendarUrl)('teams.calendar.open_own', Nothing),
  closeOwn: answers(Ok)('teams.calendar.close_own', Nothing, ['calendar.unknown']),
  /** For the gateway: the iCalendar object for the secret with this hash. */
  read: answers<{ text: string }>()('teams.calendar.read', CalendarByHash, ['calendar.unknown'], 'always'),
};
