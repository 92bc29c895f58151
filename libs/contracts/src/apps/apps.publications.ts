import { flag, id, instant, nullable } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type { AppEvent, AppUrlClaimed } from './apps.events';

export const appPublications: Publications<AppEvent | AppUrlClaimed> = {
  AppAdded: {
    name: 'connectors.app.added',
    id: 'appId',
    time: 'addedAt',
    summary: 'A web app was added.',
    data: { appId: id, accountId: id, addedAt: instant },
  },
  AppUrlClaimRequested: unpublished,
  AppChanged: {
    name: 'connectors.app.changed',
    id: 'appId',
    time: 'changedAt',
    summary: 'A web app was changed.',
    data: { appId: id, accountId: id, teamId: nullable(id), changedAt: instant },
  },
  AppMoved: {
    name: 'connectors.app.moved',
    id: 'appId',
    time: 'movedAt',
    summary: 'A web app belongs to this team from now on, or to the account that added it.',
    data: {
      appId: id,
      accountId: id,
      formerTeamId: nullable(id),
      teamId: nullable(id),
      by: nullable(id),
      movedAt: instant,
    },
  },
  AppRemoved: {
    name: 'connectors.app.removed',
    id: 'appId',
    time: 'removedAt',
    summary: 'A web app was removed.',
    data: { appId: id, accountId: id, teamId: nullable(id), removedAt: instant },
  },
  ConsentGiven: {
    name: 'connectors.consent.given',
    id: 'appId',
    time: 'givenAt',
    summary: 'A person agreed to be signed in to a web app.',
    data: { appId: id, accountId: id, userId: id, shareName: flag, shareEmail: flag, givenAt: instant },
  },
  DisclosureChanged: {
    name: 'connectors.consent.changed',
    id: 'appId',
    time: 'changedAt',
    summary: 'A person changed what a web app is told of them.',
    data: { appId: id, accountId: id, userId: id, shareName: flag, shareEmail: flag, changedAt: instant },
  },
  ConsentRevoked: {
    name: 'connectors.consent.revoked',
    id: 'appId',
    time: 'revokedAt',
    summary: 'A person is not signed in to a web app any more.',
    data: { appId: id, accountId: id, userId: id, revokedAt: instant },
  },
  AppUrlClaimed: unpublished,
};
