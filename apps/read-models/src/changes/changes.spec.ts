import type { EventReceived, InboxReadThrough, NotificationSent } from '@carillon/contracts';
import { type ChangingEvent, changeOf, resumable } from './changes';

const at = '2026-11-20T09:00:00.000Z';
const accountId = 'usr_1';
const sent = {
  type: 'NotificationSent',
  accountId,
  notificationId: 'anot_1',
  sentAt: at,
} as NotificationSent;
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
      changeOf({
        type: 'EventReceived',
        accountId,
        eventId: 'evt_1',
        serviceId: 'svc_1',
        receivedAt: at,
      } as EventReceived),
    ).toEqual({ accountId, kind: 'created', subjectId: 'event:evt_1', projectId: 'svc_1', at }));

  it.each([
    [{ type: 'NotificationWithdrawn', notificationId: 'anot_1' }, 'updated', 'notification:anot_1'],
    [{ type: 'PushReported', subjectId: 'anot_1' }, 'updated', 'notification:anot_1'],
    [{ type: 'PushReported', subjectId: 'evt_1' }, 'updated', 'event:evt_1'],
    [{ type: 'InboxItemRead', itemId: 'event:evt_1' }, 'read', 'event:evt_1'],
    [{ type: 'InboxItemUnread', itemId: 'event:evt_1' }, 'unread', 'event:evt_1'],
    [{ type: 'DeviceRegistered', deviceId: 'dev_1' }, 'device', 'dev_1'],
    [{ type: 'DeviceTokensChanged', deviceId: 'dev_1' }, 'device', 'dev_1'],
    [{ type: 'DeviceDeactivated', deviceId: 'dev_1' }, 'device', 'dev_1'],
    [{ type: 'InteractionAsked', interactionId: 'int_1' }, 'prompt_created', 'int_1'],
    [{ type: 'InteractionAnswered', interactionId: 'int_1' }, 'prompt_answered', 'int_1'],
    [{ type: 'InteractionCanceled', interactionId: 'int_1' }, 'prompt_canceled', 'int_1'],
    [{ type: 'InteractionExpired', interactionId: 'int_1' }, 'prompt_expired', 'int_1'],
  ])('%j: %s of %s', (event, kind, subjectId) =>
    expect(changeOf({ accountId, ...event } as ChangingEvent)).toMatchObject({
      accountId,
      kind,
      subjectId,
      projectId: null,
    }),
  );

  it.each(['int_1', 'act_1'])(
    'the push of %s, which is not in the inbox, changes nothing there',
    (subjectId) =>
      expect(changeOf({ type: 'PushReported', accountId, subjectId } as ChangingEvent)).toBeUndefined(),
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
