import type { CalendarEvent } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { calendars, closeCalendar, openCalendar } from './calendars';

const at = '2026-11-20T10:00:00.000Z';
const accountId = 'usr_1';
const opened = (groupId: string | null, hash: string): CalendarEvent => ({
  type: 'CalendarOpened',
  accountId,
  groupId,
  teamId: groupId && 'team_1',
  hash,
  memberSince: groupId && at,
  openedAt: at,
});
const closed = (groupId: string | null): CalendarEvent => ({
  type: 'CalendarClosed',
  accountId,
  groupId,
  closedAt: at,
});
const open = (groupId: string | null, hash: string) =>
  openCalendar({ accountId, groupId, teamId: groupId && 'team_1', hash, memberSince: groupId && at, at });
const hashesAfter = (...events: readonly CalendarEvent[]) => fold(calendars, events).map(({ hash }) => hash);

describe('a calendar', () => {
  it('is opened for a group and for own shifts, and a new URL replaces the one before', () => {
    given(calendars).when(open('ocg_1', 'a')).then(opened('ocg_1', 'a'));
    given(calendars, opened('ocg_1', 'a')).when(open('ocg_1', 'b')).then(opened('ocg_1', 'b'));
    expect(hashesAfter(opened('ocg_1', 'a'), opened(null, 'b'), opened('ocg_1', 'c'))).toEqual(['b', 'c']);
  });
  it('is closed once, and no other with it', () => {
    const close = closeCalendar({ accountId, groupId: null, at });
    given(calendars, opened(null, 'a')).when(close).then(closed(null));
    given(calendars, opened(null, 'a'), closed(null)).when(close).thenRefused('calendar.unknown');
    given(calendars, opened('ocg_1', 'a')).when(close).thenRefused('calendar.unknown');
    expect(hashesAfter(opened('ocg_1', 'a'), opened(null, 'b'), closed(null))).toEqual(['a']);
  });
});
