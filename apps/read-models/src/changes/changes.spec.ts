import type { InboxReadThrough } from '@carillon/contracts';
import { eventReceived, notificationSent } from '@carillon/testkit';
import { changeOf, changesOf, type OwnedEvent, resumable } from './changes';

const at = '2026-11-20T09:00:00.000Z';
const accountId = 'usr_1';
const sent = notificationSent({ notificationId: 'anot_1', accountId, sentAt: at });
const through = { createdAt: at, id: 'notification:anot_1' };

describe('what an event changes', () => {
  it('a notification is a new item of its project', () => {
    expect(changeOf({ ...sent, projectId: 'web' })).toEqual({
      accountId,
      kind: 'created',
      subjectId: 'notification:anot_1',
      projectId: 'web',
      at,
    });
    expect(changeOf({ ...sent, projectId: null })).toMatchObject({ projectId: '' });
  });

  it("a received event is a new item under its service's project", () =>
    expect(
      changeOf(eventReceived({ eventId: 'evt_1', accountId, serviceId: 'svc_1', receivedAt: at })),
    ).toEqual({
      accountId,
      kind: 'created',
      subjectId: 'event:evt_1',
      projectId: 'svc_1',
      at,
    }));

  it.each([
    [{ type: 'NotificationWithdrawn', notificationId: 'anot_1' }, 'updated', 'notification:anot_1'],
    [{ type: 'PushReported', subjectId: 'anot_1' }, 'updated', 'notification:anot_1'],
    [{ type: 'PushReported', subjectId: 'evt_1' }, 'updated', 'event:evt_1'],
    [{ type: 'InboxItemRead', itemId: 'event:evt_1' }, 'read', 'event:evt_1'],
    [{ type: 'InboxItemUnread', itemId: 'event:evt_1' }, 'unread', 'event:evt_1'],
    [{ type: 'InboxItemsRead', itemIds: ['event:evt_1'] }, 'all_read', null],
    [{ type: 'DeviceRegistered', deviceId: 'dev_1' }, 'device', 'dev_1'],
    [{ type: 'DeviceTokensChanged', deviceId: 'dev_1' }, 'device', 'dev_1'],
    [{ type: 'DeviceDeactivated', deviceId: 'dev_1' }, 'device', 'dev_1'],
    [{ type: 'InteractionAsked', interactionId: 'int_1' }, 'prompt_created', 'int_1'],
    [{ type: 'InteractionAnswered', interactionId: 'int_1' }, 'prompt_answered', 'int_1'],
    [{ type: 'InteractionCanceled', interactionId: 'int_1' }, 'prompt_canceled', 'int_1'],
    [{ type: 'InteractionExpired', interactionId: 'int_1' }, 'prompt_expired', 'int_1'],
  ])('%j: %s of %s', (event, kind, subjectId) =>
    expect(changeOf({ accountId, ...event } as OwnedEvent)).toMatchObject({
      accountId,
      kind,
      subjectId,
      projectId: null,
    }),
  );

  it('a page changes for everybody whom it has gone to', () => {
    const of = { pageId: 'page_1', groupId: 'ocg_1', teamId: 'team_1' };
    const changed = (kind: string, ...accountIds: string[]) =>
      accountIds.map((account) => ({ accountId: account, kind, subjectId: 'page_1', projectId: null, at }));
    const people = [{ accountId: 'usr_a', pushId: 'psh_1', deviceIds: [] }];
    const step = { step: 0, by: null, target: 'current', groupName: null, title: null, body: null } as const;
    const told = { url: null, notifiedAt: at, nextEscalationAt: null };
    expect(changesOf({ type: 'PageNotified', ...of, ...step, people, ...told })).toEqual(
      changed('page_notified', 'usr_a'),
    );
    expect(
      changesOf({ type: 'PageAcknowledged', ...of, by: 'usr_b', notified: ['usr_a'], acknowledgedAt: at }),
    ).toEqual(changed('page_acknowledged', 'usr_a', 'usr_b'));
    expect(changesOf({ type: 'PageWithdrawn', ...of, accountId: 'usr_a', withdrawnAt: at })).toEqual(
      changed('page_withdrawn', 'usr_a'),
    );
    const ended = { by: null, tokenId: null, reason: 'recovery', note: null } as const;
    expect(
      changesOf({ type: 'PageResolved', ...of, ...ended, notified: ['usr_a', 'usr_b'], resolvedAt: at }),
    ).toEqual(changed('page_resolved', 'usr_a', 'usr_b'));
  });

  it.each(['int_1', 'act_1'])(
    'the push of %s, which is not in the inbox, changes nothing there',
    (subjectId) =>
      expect(changeOf({ type: 'PushReported', accountId, subjectId } as OwnedEvent)).toBeUndefined(),
  );

  it('many read at once are one change, of the project that the list was of', () => {
    const event: InboxReadThrough = { type: 'InboxReadThrough', accountId, through, readAt: at };
    expect(changeOf(event)).toMatchObject({ kind: 'all_read', subjectId: null, projectId: null });
    expect(changeOf({ ...event, projectId: null })).toMatchObject({ projectId: '' });
    expect(changeOf({ ...event, projectId: 'web' })).toMatchObject({ projectId: 'web' });
  });
});

describe('going on from a position', () => {
  const known = { reached: 900n, droppedTo: 100n };
  it.each(['100', '101', '900', '0000000000000000500'])('%s is possible', (after) =>
    expect(resumable(after, known)).toBe(BigInt(after)),
  );
  it.each([
    ['99', 'what came after it may be gone'],
    ['901', 'it lies ahead of us'],
    ['', 'it is nothing'],
    ['-5', 'it is no position'],
    ['1e3', 'it is no position'],
    ['12 ', 'it is no position'],
    ['99999999999999999999', 'it is no position'],
    ["0' OR 1=1 --", 'it is no position'],
  ])('%s is not: %s', (after) => expect(resumable(after, known)).toBeUndefined());
});
