import type { ActivityPushed, ActivityStarted } from '@carillon/contracts';
import { plus } from '@carillon/eventing';
import { activityStarted } from '@carillon/testkit';
import { countsOf, type DerivedStatus, nextStatus, statusAt, type StatusEvent } from './derived-status';

const at = '2026-11-20T09:00:00.000Z';
const expiresAt = plus(at, 3_600_000);
const startOn = (...deviceIds: string[]): ActivityStarted =>
  activityStarted({ deviceIds, startedAt: at, expiresAt });
const started = startOn('dev_1', 'dev_2');
const pushed = (
  deviceId: string,
  outcome: ActivityPushed['outcome'],
  sequence = 1,
  operation: ActivityPushed['operation'] = sequence === 1 ? 'start' : 'update',
): ActivityPushed => ({
  type: 'ActivityPushed',
  activityId: 'act_1',
  deviceId,
  accountId: 'usr_1',
  operation,
  sequence,
  outcome,
  errorCode: outcome === 'failed' ? 'Unregistered' : null,
  pushedAt: plus(at, 5_000),
});
const of = { activityId: 'act_1', accountId: 'usr_1' };
const updated = (sequence: number): StatusEvent => ({
  type: 'ActivityUpdated',
  ...of,
  props: started.props,
  apnsPriority: 5,
  priorityReason: 'routine',
  key: null,
  sequence,
  updatedAt: at,
});
const ended: StatusEvent = {
  type: 'ActivityEnded',
  ...of,
  props: started.props,
  reason: 'ended',
  dismissAfterSeconds: 300,
  key: null,
  sequence: 9,
  endedAt: plus(at, 6_000),
};
const expired: StatusEvent = { type: 'ActivityExpired', ...of, sequence: 9, expiredAt: expiresAt };

const after = (...events: StatusEvent[]): DerivedStatus => {
  let state: DerivedStatus | null = null;
  for (const event of events) state = nextStatus(state, event);
  if (!state) throw new Error('It never started');
  return state;
};
const statusAfter = (...events: StatusEvent[]) => after(started, ...events).status;
const accepted = pushed('dev_1', 'accepted');

describe('the status of an activity', () => {
  it('is starting until every device has started', () => {
    expect(statusAfter()).toBe('starting');
    expect(statusAfter(accepted)).toBe('starting');
    expect(statusAfter(accepted, pushed('dev_2', 'accepted'))).toBe('active');
  });
  it('is partial as soon as one has started and one has failed for good', () => {
    expect(statusAfter(pushed('dev_1', 'failed'))).toBe('starting');
    expect(statusAfter(accepted, pushed('dev_2', 'failed'))).toBe('partial');
    expect(statusAfter(pushed('dev_2', 'failed'), accepted)).toBe('partial');
  });
  it('is failed when every device has, and stays so', () => {
    const failed = [pushed('dev_1', 'failed'), pushed('dev_2', 'failed')];
    expect(after(started, ...failed)).toMatchObject({ status: 'failed', endedAt: plus(at, 5_000) });
    expect(statusAfter(...failed, accepted)).toBe('failed');
    expect(after(started, ...failed, expired)).toMatchObject({
      status: 'failed',
      endedAt: plus(at, 5_000),
    });
  });
  it('stays failed once that is recorded', () => {
    const onRecord: StatusEvent = { type: 'ActivityFailed', ...of, sequence: 9, failedAt: plus(at, 7_000) };
    const failed = [pushed('dev_1', 'failed'), pushed('dev_2', 'failed')];
    expect(after(started, ...failed, onRecord, accepted)).toMatchObject({
      status: 'failed',
      sequence: 1,
      endedAt: plus(at, 5_000),
    });
    expect(after(started, onRecord, accepted)).toMatchObject({
      status: 'failed',
      endedAt: plus(at, 7_000),
    });
  });
  it('goes from active to partial when a device fails later, and on to failed', () => {
    const active = [accepted, pushed('dev_2', 'accepted'), updated(2)];
    expect(statusAfter(...active, pushed('dev_2', 'failed', 2))).toBe('partial');
    expect(statusAfter(...active, pushed('dev_2', 'failed', 2), pushed('dev_1', 'failed', 2))).toBe('failed');
  });
  it('goes from partial to active when the failed device is started again', () =>
    expect(
      statusAfter(
        accepted,
        pushed('dev_2', 'accepted'),
        pushed('dev_2', 'failed', 2),
        pushed('dev_2', 'accepted', 2, 'start'),
      ),
    ).toBe('active'));
  it('is not changed by superseded or late operations', () => {
    expect(statusAfter(accepted, pushed('dev_2', 'accepted'), pushed('dev_2', 'superseded', 2))).toBe(
      'active',
    );
    expect(statusAfter(accepted, pushed('dev_2', 'dropped'))).toBe('starting');
  });
  it('is ended or expired from then on, whatever the devices say', () => {
    expect(statusAfter(ended, accepted, pushed('dev_2', 'failed'))).toBe('ended');
    expect(statusAfter(expired, accepted, pushed('dev_2', 'accepted'))).toBe('expired');
    expect(after(started, ended)).toMatchObject({ sequence: 9, endedAt: plus(at, 6_000) });
  });
  it('is expired from the deadline on, also when the timer is late', () => {
    expect(statusAt(after(started), expiresAt, plus(expiresAt, -1)).status).toBe('starting');
    expect(statusAt(after(started), expiresAt, expiresAt)).toMatchObject({
      status: 'expired',
      endedAt: expiresAt,
    });
    expect(statusAt(after(started, ended), expiresAt, expiresAt).status).toBe('ended');
  });
  it('ignores devices that are not its own, and outcomes from before it began', () => {
    expect(statusAfter(pushed('dev_3', 'failed'))).toBe('starting');
    expect(nextStatus(null, accepted)).toBeNull();
  });
});

describe('the counts of an activity', () => {
  const both = [accepted, pushed('dev_2', 'accepted')];
  it('are those of the latest change', () => {
    expect(countsOf(after(started, accepted))).toEqual({ accepted: 1, failed: 0 });
    expect(countsOf(after(started, ...both))).toEqual({ accepted: 2, failed: 0 });
    expect(countsOf(after(started, ...both, updated(2)))).toEqual({ accepted: 0, failed: 0 });
    expect(countsOf(after(started, ...both, updated(2), pushed('dev_1', 'failed', 2)))).toEqual({
      accepted: 0,
      failed: 1,
    });
  });
  it('count neither superseded operations nor outcomes of older changes', () =>
    expect(
      countsOf(
        after(
          started,
          ...both,
          updated(2),
          updated(3),
          pushed('dev_1', 'superseded', 2),
          pushed('dev_2', 'accepted', 2),
        ),
      ),
    ).toEqual({ accepted: 0, failed: 0 }));
  it('count a device once when the same change was sent to it twice', () =>
    expect(countsOf(after(started, accepted, accepted))).toEqual({ accepted: 1, failed: 0 }));
});
