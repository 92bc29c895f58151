import { id, instant } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type { CalendarEvent } from './calendar.events';
import type { OncallGroupEvent } from './oncall.events';

/** Not published, since the events contain the hash of a secret. */
export const calendarPublications: Publications<CalendarEvent> = {
  CalendarOpened: unpublished,
  CalendarClosed: unpublished,
};

export const oncallPublications: Publications<OncallGroupEvent> = {
  OncallGroupCreated: {
    name: 'teams.oncall-group.created',
    id: 'groupId',
    time: 'createdAt',
    summary: 'An on-call group of the team was made.',
    data: { teamId: id, groupId: id, createdAt: instant },
  },
  OncallGroupChanged: {
    name: 'teams.oncall-group.changed',
    id: 'groupId',
    time: 'changedAt',
    summary: 'An on-call group was changed.',
    data: { teamId: id, groupId: id, changedAt: instant },
  },
  OncallGroupDeleted: {
    name: 'teams.oncall-group.deleted',
    id: 'groupId',
    time: 'deletedAt',
    summary: 'An on-call group was deleted; its open pages are resolved.',
    data: { teamId: id, groupId: id, deletedAt: instant },
  },
  OncallGroupEmptied: {
    name: 'teams.oncall-group.emptied',
    id: 'groupId',
    time: 'emptiedAt',
    summary: 'The last one who took turns in the group has left the team: it pages nobody now.',
    data: { teamId: id, groupId: id, accountId: id, emptiedAt: instant },
  },
  OverrideCreated: {
    name: 'teams.override.created',
    id: 'overrideId',
    time: 'createdAt',
    summary: 'Somebody takes over a window of an on-call group.',
    data: {
      teamId: id,
      groupId: id,
      overrideId: id,
      accountId: id,
      startsAt: instant,
      endsAt: instant,
      createdAt: instant,
    },
  },
  OverrideDeleted: {
    name: 'teams.override.deleted',
    id: 'overrideId',
    time: 'deletedAt',
    summary: 'An override was deleted; one that ran has ended.',
    data: { teamId: id, groupId: id, overrideId: id, accountId: id, deletedAt: instant },
  },
};
