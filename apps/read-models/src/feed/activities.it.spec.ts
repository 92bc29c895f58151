import {
  AccountChanges,
  type ActivityEnded,
  ActivityFeed,
  type ActivityPushed,
  type ActivityStarted,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { type DomainEvent, instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import { activityProps, activityStarted, contextOf, newAccount, rowsReach } from '@carillon/testkit';
import { append, begin, bus, clock, end, service } from '../testbed';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

let moment = 0;
const nextMoment = () => instant((moment = Math.max(clock.ms(), moment + 1)));

const props = activityProps({
  subtitle: 'Linux',
  status: 'Testing',
  progress: 0.5,
  layout: 'ring',
  url: 'https://ci.test/1',
});
const begun = (accountId: string, more: Partial<ActivityStarted> = {}): ActivityStarted =>
  activityStarted({
    activityId: newId('act', clock.ms()),
    accountId,
    key: 'build',
    props,
    startedAt: nextMoment(),
    ...more,
  });
const ended = (
  { activityId, accountId }: ActivityStarted,
  more: Partial<ActivityEnded> = {},
): ActivityEnded => ({
  type: 'ActivityEnded',
  activityId,
  accountId,
  props: { ...props, title: 'Built', subtitle: null, status: 'Done' },
  reason: 'ended',
  dismissAfterSeconds: 300,
  key: null,
  sequence: 2,
  endedAt: nextMoment(),
  ...more,
});
const write = ({ activityId, accountId }: ActivityStarted, ...events: DomainEvent[]) =>
  append('activity', streamTail(activityId), accountId, ...events);
const feed = async (accountId: string, input: object = {}, after?: string) =>
  (await bus.ask(ActivityFeed.read, input, contextOf(accountId, after))).value;
const since = async (accountId: string, after?: string) =>
  (await bus.ask(AccountChanges.since, after === undefined ? {} : { after }, contextOf(accountId))).value;

describe('the feed', () => {
  it('shows a live activity when it starts and, as it looked then, when it ends', async () => {
    const account = newAccount();
    const started = begun(account);
    await write(started, started);
    const end = ended(started);
    const after = await write(started, end);
    const line = {
      id: expect.stringMatching(/^fed_[0-9a-z]{26}$/),
      kind: 'live_activity',
      sourceName: 'CI',
      sourceImageUrl: null,
      url: 'https://ci.test/1',
    };
    const page = await feed(account, {}, after);
    expect(page.items).toEqual([
      { ...line, title: 'Built', detail: 'Done', result: 'ended', createdAt: end.endedAt },
      { ...line, title: 'Build', detail: 'Linux', result: 'started', createdAt: started.startedAt },
    ]);
    expect(page.total).toBe(2);
    expect(await feed(account, { kind: 'live_activity' })).toEqual(page);
    expect(await feed(account, { kind: 'notification' })).toMatchObject({ items: [], total: 0 });
    expect(await feed(newAccount())).toMatchObject({ total: 0 });
  });

  it('shows one that failed on every device', async () => {
    const account = newAccount();
    const lost = begun(account);
    const after = await write(lost, lost, {
      type: 'ActivityFailed',
      activityId: lost.activityId,
      accountId: account,
      sequence: 2,
      failedAt: nextMoment(),
    } as DomainEvent);
    const { items } = await feed(account, {}, after);
    expect(items.map(({ title, result }) => [title, result])).toEqual([
      ['Build', 'failed'],
      ['Build', 'started'],
    ]);
  });

  it('shows one that expired as it began, and one that began and ended in one breath twice', async () => {
    const account = newAccount();
    const short = begun(account);
    const expiredAt = nextMoment();
    await write(short, short, {
      type: 'ActivityExpired',
      activityId: short.activityId,
      accountId: account,
      sequence: 2,
      expiredAt,
    } as DomainEvent);
    const replaced = begun(account);
    const after = await write(replaced, replaced, ended(replaced, { reason: 'replaced' }));
    const { items } = await feed(account, {}, after);
    expect(items.map(({ title, result }) => [title, result])).toEqual([
      ['Built', 'replaced'],
      ['Build', 'started'],
      ['Build', 'expired'],
      ['Build', 'started'],
    ]);
    expect(
      await service.get(Database).query(`SELECT 1 FROM feed_activities WHERE account_id = $1`, [account]),
    ).toEqual([]);
  });

  it('has no lines for the activity of a prompt', async () => {
    const account = newAccount();
    const started = begun(account, {
      prompt: {
        id: 'int_1',
        kind: 'approval',
        primaryLabel: null,
        secondaryLabel: null,
        actionDigest: 'sha256:a',
      },
    });
    const after = await write(started, started, ended(started, { reason: 'answered' }));
    expect(await feed(account, {}, after)).toMatchObject({ items: [], total: 0 });
  });

  it('rebuilt from the log is equal to what it was', async () => {
    const rows = () => service.get(Database).query(`SELECT * FROM feed_items ORDER BY account_id, rank`);
    const before = await rows();
    expect(before.length).toBeGreaterThan(5);
    await service.get(Projections).rebuild('feed');
    expect(await rows()).toEqual(before);
  });
});

describe('what changes', () => {
  it('tells of live activities by their ids, and of devices only what changes how they stand', async () => {
    const account = newAccount();
    const started = begun(account);
    const { activityId } = started;
    const at = await write(started, started);
    const { position } = await since(account);
    expect(BigInt(position)).toBeGreaterThanOrEqual(0n);
    const pushed = (operation: 'start' | 'update', outcome: ActivityPushed['outcome']) =>
      append('lane', `${streamTail(activityId)}x`, account, {
        type: 'ActivityPushed',
        activityId,
        deviceId: 'dev_1',
        accountId: account,
        operation,
        sequence: 1,
        outcome,
        errorCode: null,
        pushedAt: nextMoment(),
      } as DomainEvent);
    await pushed('start', 'accepted');
    await pushed('update', 'accepted');
    await pushed('update', 'superseded');
    await pushed('update', 'failed');
    const last = await write(started, ended(started));
    await rowsReach(service.get(Projections), 'changes', last);
    const { changes } = await since(account, String(BigInt(at) - 1n));
    expect(changes).toMatchObject([
      { topic: 'activities', kind: 'started', activityId, at: started.startedAt },
      { topic: 'activities', kind: 'updated', activityId },
      { topic: 'activities', kind: 'updated', activityId },
      { topic: 'activities', kind: 'ended', activityId },
    ]);
    expect(JSON.stringify(changes)).not.toContain('Buil');
  });
});
