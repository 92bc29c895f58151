import type { NotificationSent, NotificationWithdrawnEvent } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { notification, send, type Sending, withdraw } from './notification';

const at = '2026-11-20T09:00:00.000Z';
const sending: Sending = {
  id: 'anot_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  sourceName: 'CI',
  input: { title: 'Build finished', body: 'main is green' },
  deviceIds: ['dev_1', 'dev_2'],
  fingerprint: 'aa',
  at,
};
const sent: NotificationSent = {
  type: 'NotificationSent',
  notificationId: 'anot_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  sourceName: 'CI',
  title: 'Build finished',
  body: 'main is green',
  summary: null,
  bodyFormat: 'text',
  imageUrl: null,
  url: null,
  projectId: null,
  projectName: null,
  appId: null,
  deviceIds: ['dev_1', 'dev_2'],
  fingerprint: 'aa',
  sentAt: at,
};
const withdrawn: NotificationWithdrawnEvent = {
  type: 'NotificationWithdrawn',
  notificationId: 'anot_1',
  accountId: 'usr_1',
  status: 'withdrawn',
  accepted: 2,
  withdrawnAt: at,
};

describe('sending a notification', () => {
  it('keeps what was asked, to the devices of that moment', () =>
    given(notification).when(send(sending)).then(sent));
  it('does nothing the second time under the same key', () =>
    given(notification, sent).when(send(sending)).thenNothing());
  it('is refused when the key came with another request', () =>
    given(notification, sent)
      .when(send({ ...sending, fingerprint: 'bb' }))
      .thenRefused('idempotency.key_reused'));
  it('names those who have it too, also when it is taken back', () => {
    const recipients = ['usr_2', 'usr_3'];
    given(notification)
      .when(send({ ...sending, recipients }))
      .then({ ...sent, recipients });
    given(notification, { ...sent, recipients })
      .when(withdraw({ reached: 2, cleared: 2, at }))
      .then({ ...withdrawn, recipients });
  });
});

describe('withdrawing a notification', () => {
  it('is complete when every device that had it took the command', () =>
    given(notification, sent)
      .when(withdraw({ reached: 2, cleared: 2, at }))
      .then(withdrawn));
  it('is partial when only some did', () =>
    given(notification, sent)
      .when(withdraw({ reached: 2, cleared: 1, at }))
      .then({ ...withdrawn, status: 'withdraw_partial', accepted: 1 }));
  it('changes nothing when no device took it', () =>
    given(notification, sent)
      .when(withdraw({ reached: 2, cleared: 0, at }))
      .thenRefused('notification.withdraw_not_accepted'));
  it('is partial when all that it reached are browsers that cannot be told', () =>
    given(notification, sent)
      .when(withdraw({ reached: 2, cleared: 0, unclearable: 2, at }))
      .then({ ...withdrawn, status: 'withdraw_partial', accepted: 0 }));
  it('does nothing the second time, whatever the devices say then', () =>
    given(notification, sent, withdrawn)
      .when(withdraw({ reached: 2, cleared: 0, at }))
      .thenNothing());
  it('is refused for one that was never sent', () =>
    given(notification)
      .when(withdraw({ reached: 1, cleared: 1, at }))
      .thenRefused('notification.not_found'));
});
