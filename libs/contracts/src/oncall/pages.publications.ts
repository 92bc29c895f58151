import { count, id, instant, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import { pageSources } from './pages.contracts';
import type { PageEvent, PageKeyClaimed } from './pages.events';

const ofPage = { pageId: id, groupId: id, teamId: id };

export const pagePublications: Publications<PageEvent | PageKeyClaimed> = {
  PageTriggered: {
    name: 'teams.page.triggered',
    id: 'pageId',
    time: 'triggeredAt',
    summary: 'An on-call group was paged.',
    data: { ...ofPage, source: oneOf(...pageSources), byAccountId: nullable(id), triggeredAt: instant },
  },
  PageNotified: {
    name: 'teams.page.notified',
    id: 'pageId',
    time: 'notifiedAt',
    summary:
      'A step of a page has run: 0 notifies the person on call, the others the next person or everybody.',
    data: {
      ...ofPage,
      step: count,
      by: nullable(id),
      target: oneOf('current', 'next', 'group'),
      notifiedAt: instant,
      nextEscalationAt: nullable(instant),
    },
  },
  PageRepeated: {
    name: 'teams.page.repeated',
    id: 'pageId',
    time: 'repeatedAt',
    summary: 'An open page has absorbed another one with its key.',
    data: { ...ofPage, byAccountId: nullable(id), repeatedAt: instant },
  },
  PageAcknowledged: {
    name: 'teams.page.acknowledged',
    id: 'pageId',
    time: 'acknowledgedAt',
    summary: 'Somebody has taken a page over; it goes no further.',
    data: { ...ofPage, by: id, acknowledgedAt: instant },
  },
  PageWithdrawn: unpublished,
  PageResolved: {
    name: 'teams.page.resolved',
    id: 'pageId',
    time: 'resolvedAt',
    summary: 'A page is over.',
    data: {
      ...ofPage,
      by: nullable(id),
      reason: oneOf('person', 'recovery', 'group_deleted', 'team_deleted'),
      resolvedAt: instant,
    },
  },
  PageForgotten: unpublished,
  PageKeyClaimed: unpublished,
};
