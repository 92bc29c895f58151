import type { RawEvent } from '@carillon/event-store';
import { planOf } from './log-retention';

const old = '2026-01-01T00:00:00.000Z';
const before = '2026-02-01T00:00:00.000Z';
const young = '2026-03-01T00:00:00.000Z';
let position = 0n;

/** An event as stored; `at` is the time of the store. */
const stored = (stream: string, revision: bigint, type: string, data: object = {}, at = old): RawEvent => ({
  id: '00000000-0000-4000-8000-000000000001',
  type,
  stream,
  revision,
  position: (position += 100n),
  at,
  data,
  metadata: { commandId: 'c', correlationId: 'r', accountId: 'acc_1', actor: {} },
});
const sent = (stream: string, sentAt: string) => stored(stream, 0n, 'NotificationSent', { sentAt });
const cutsOf = (...events: RawEvent[]) =>
  planOf(events, before).cuts.map(({ stream, revision, how }) => `${how} ${stream} ${revision}`);

describe('the plan of a cleanup of the log', () => {
  it('deletes streams at their newest event', () =>
    expect(
      cutsOf(
        sent('notification-1', old),
        stored('delivery-anot_1', 0n, 'PushReported', { reportedAt: old }),
        stored('notification-1', 1n, 'NotificationWithdrawn', { withdrawnAt: old }),
        stored('delivery-anot_1', 1n, 'PushCleared', { clearedAt: old }),
      ),
    ).toEqual(['deleted notification-1 1', 'deleted delivery-anot_1 1']));

  it('truncates streams that never end', () =>
    expect(
      cutsOf(
        stored('inbox-acc_1', 7n, 'InboxItemRead', { readAt: old }),
        stored('inbox-acc_1', 8n, 'InboxReadThrough', { readAt: old }),
        stored('outbox-1', 3n, 'ReplyQueued', { queuedAt: old }),
      ),
    ).toEqual(['truncated inbox-acc_1 8', 'truncated outbox-1 3']));

  it('ends before the first event that is not too old', () => {
    const events = [sent('notification-1', old), sent('notification-2', young), sent('notification-3', old)];
    const { cuts, stop } = planOf(events, before);
    expect(cuts).toMatchObject([{ stream: 'notification-1' }]);
    expect(stop).toEqual({ index: 1, at: young });
  });

  it('goes by the clock of the services, and by that of the store for what it keeps', () => {
    const made = stored('notification-1', 0n, 'NotificationSent', { sentAt: old }, young);
    expect(planOf([made], before)).toMatchObject({ cuts: [{ stream: 'notification-1' }] });
    expect(planOf([stored('token-1', 0n, 'TokenCreated', {}, young)], before).stop).toEqual({
      index: 0,
      at: young,
    });
  });

  it('keeps what is open, whatever its age', () =>
    expect(
      cutsOf(
        stored('interaction-1', 0n, 'InteractionAsked', { askedAt: old }),
        stored('activity-1', 0n, 'ActivityStarted', { startedAt: old }),
        stored('page-1', 1n, 'PageAcknowledged', { acknowledgedAt: old }),
        stored('delivery-psh_1', 0n, 'PushReported', { reportedAt: old }),
        stored('delivery_receipts-psh_1', 0n, 'PushReceiptsNoted', { notedAt: old }),
        stored('interaction-2', 0n, 'InteractionAsked', { askedAt: old }),
        stored('interaction-2', 1n, 'InteractionCanceled', { canceledAt: old }),
        stored('page-2', 5n, 'PageResolved', { resolvedAt: old }),
        stored('delivery-psh_2', 1n, 'PushCleared', { clearedAt: old }),
      ),
    ).toEqual(['deleted interaction-2 1', 'deleted page-2 5', 'deleted delivery-psh_2 1']));

  it('keeps accounts, keys, teams, audit logs, and event types of a newer release', () =>
    expect(
      cutsOf(
        ...[
          ['account-1', 'AccountOpened'],
          ['account_key-acc_1', 'AccountKeyCreated'],
          ['team-1', 'TeamCreated'],
          ['audit-1', 'AuditRecorded'],
          ['activity_command-1', 'ActivityCommandClaimed'],
          ['notification-1', 'NotificationSnoozed'],
        ].map(([stream = '', type = '']) => stored(stream, 0n, type)),
      ),
    ).toEqual([]));

  it('survives an event without its time', () => {
    expect(cutsOf({ ...sent('notification-1', old), data: [] })).toEqual(['deleted notification-1 0']);
  });
});
