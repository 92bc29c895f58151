import type { EventReceived } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { event, receive, type Receiving } from './event';

const at = '2026-11-20T09:00:00.000Z';
const receiving: Receiving = {
  id: 'evt_1',
  service: {
    id: 'svc_1',
    accountId: 'usr_1',
    title: 'CI',
    imageUrl: 'https://ci.test/logo.png',
    url: 'https://ci.test',
  },
  message: { body: 'main is green' },
  deviceIds: ['dev_1'],
  limitedBy: null,
  fingerprint: 'aa',
  at,
};
const received: EventReceived = {
  type: 'EventReceived',
  eventId: 'evt_1',
  accountId: 'usr_1',
  serviceId: 'svc_1',
  serviceTitle: 'CI',
  serviceImageUrl: 'https://ci.test/logo.png',
  title: 'CI',
  body: 'main is green',
  bodyFormat: 'text',
  imageUrl: null,
  url: 'https://ci.test',
  appId: null,
  limitedBy: null,
  deviceIds: ['dev_1'],
  fingerprint: 'aa',
  receivedAt: at,
};

describe('what comes in through a URL', () => {
  it('takes title and link from its service', () => given(event).when(receive(receiving)).then(received));
  it('takes its own when it has them', () =>
    given(event)
      .when(
        receive({
          ...receiving,
          message: { body: 'main is red', title: 'Build', url: 'https://ci.test/7', bodyFormat: 'markdown' },
        }),
      )
      .then({
        ...received,
        body: 'main is red',
        title: 'Build',
        url: 'https://ci.test/7',
        bodyFormat: 'markdown',
      }));
  it('has the title of its service where its own is empty', () =>
    given(event)
      .when(receive({ ...receiving, message: { body: 'main is green', title: '' } }))
      .then(received));
  it('happens once under one key', () => given(event, received).when(receive(receiving)).thenNothing());
  it('is refused when the key came with something else', () =>
    given(event, received)
      .when(receive({ ...receiving, fingerprint: 'bb' }))
      .thenRefused('idempotency.key_reused'));
  it('goes to everybody with the service, on all devices', () =>
    given(event)
      .when(receive({ ...receiving, deviceIds: ['dev_1', 'dev_2'], recipients: ['usr_2'] }))
      .then({ ...received, deviceIds: ['dev_1', 'dev_2'], recipients: ['usr_2'] }));

  it('names the family that its service is shared with, also where it has nobody else yet', () =>
    given(event)
      .when(receive({ ...receiving, familyId: 'team_1' }))
      .then({ ...received, familyId: 'team_1' }));
  it('goes to no device when it came over a limit', () =>
    given(event)
      .when(receive({ ...receiving, limitedBy: 'service' }))
      .then({ ...received, limitedBy: 'service', deviceIds: [] }));
  it('that came over a limit is listed for all who have the service', () =>
    given(event)
      .when(receive({ ...receiving, recipients: ['usr_2'], limitedBy: 'account' }))
      .then({ ...received, recipients: ['usr_2'], limitedBy: 'account', deviceIds: [] }));
});
