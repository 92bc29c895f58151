import {
  AccountChanges,
  type AccountChangedSignal,
  type Change,
  type Changes,
  type DeviceDeactivated,
  Inbox,
  type NotificationSent,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { newId, streamTail } from '@carillon/signing';
import { contextOf, eventually, notificationSent, pushReported, rowsReach } from '@carillon/testkit';
import { appendAndSee as append, begin, bus, clock, end, service } from '../testbed';
import { maxMissed } from './changes';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

const account = () => newId('usr', clock.ms());

async function sent(accountId: string, more: Partial<NotificationSent> = {}) {
  const notificationId = newId('anot', clock.ms());
  const event = notificationSent({ notificationId, accountId, deviceIds: [], sentAt: clock.now(), ...more });
  const position = await append('notification', streamTail(notificationId), accountId, event);
  return { notificationId, itemId: `notification:${notificationId}`, position, at: event.sentAt };
}
const reported = (accountId: string, subjectId: string) =>
  append('delivery', subjectId, accountId, pushReported({ subjectId, accountId, reportedAt: clock.now() }));
const deviceGone = (accountId: string, deviceId = newId('dev', clock.ms())) => {
  const event: DeviceDeactivated = {
    type: 'DeviceDeactivated',
    deviceId,
    accountId,
    reason: 'removed',
    deactivatedAt: clock.now(),
  };
  return append('device', streamTail(deviceId), accountId, event);
};
const since = async (accountId: string, after?: string): Promise<Changes> =>
  (await bus.ask(AccountChanges.since, after === undefined ? {} : { after }, contextOf(accountId))).value;
const kinds = (changes: readonly Change[]) =>
  changes.map((change) => (change.topic === 'inbox' ? change.kind : change.topic));

describe('what changed since a position', () => {
  it('is empty for a new client, and has the position to continue from', async () => {
    const owner = account();
    const { position } = await sent(owner);
    const here = await since(owner);
    expect(here).toEqual({ changes: [], position: expect.any(String), reset: false });
    expect(BigInt(here.position)).toBeGreaterThanOrEqual(BigInt(position));
    expect(await since(owner, here.position)).toMatchObject({ changes: [], reset: false });
  });

  it('is told in the order of the log, each once, with the project of its item', async () => {
    const owner = account();
    const start = (await since(owner)).position;
    const web = await sent(owner, { projectId: 'web' });
    const plain = await sent(owner);
    await reported(owner, web.notificationId);
    const read = await bus.ask(Inbox.read, { id: web.itemId }, contextOf(owner, plain.position));
    const unread = await bus.ask(Inbox.unread, { id: web.itemId }, contextOf(owner, read.position));
    const list = await bus.ask(Inbox.list, { projectId: 'web' }, contextOf(owner, unread.position));
    const { readThroughToken } = list.value;
    await bus.ask(Inbox.readAll, { readThroughToken }, contextOf(owner, unread.position));
    const all = await bus.ask(Inbox.list, {}, contextOf(owner));
    const done = await bus.ask(
      Inbox.readAll,
      { readThroughToken: all.value.readThroughToken },
      contextOf(owner),
    );
    await rowsReach(service.get(Projections), 'changes', done.position);
    const { changes, reset } = await since(owner, start);
    expect(reset).toBe(false);
    expect(changes).toEqual([
      {
        topic: 'inbox',
        kind: 'created',
        itemId: web.itemId,
        projectId: 'web',
        position: web.position,
        at: web.at,
      },
      expect.objectContaining({ kind: 'created', itemId: plain.itemId, projectId: null }),
      expect.objectContaining({ kind: 'updated', itemId: web.itemId, projectId: 'web' }),
      expect.objectContaining({ kind: 'read', itemId: web.itemId, projectId: 'web' }),
      expect.objectContaining({ kind: 'unread', itemId: web.itemId, projectId: 'web' }),
      expect.objectContaining({ kind: 'all_read', itemId: null, projectId: 'web' }),
      { topic: 'inbox', kind: 'all_read', itemId: null, position: done.position, at: expect.any(String) },
    ]);
    const positions = changes.map(({ position }) => BigInt(position));
    expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : 1)));
    // From each of them on the rest follows, and nothing twice.
    for (const [index, { position }] of changes.entries())
      expect((await since(owner, position)).changes).toEqual(changes.slice(index + 1));
  });

  it('names devices, and no push of what is not in the inbox', async () => {
    const owner = account();
    const start = (await since(owner)).position;
    const deviceId = newId('dev', clock.ms());
    const position = await deviceGone(owner, deviceId);
    await reported(owner, newId('int', clock.ms()));
    expect((await since(owner, start)).changes).toEqual([
      { topic: 'devices', deviceId, position, at: expect.any(String) },
    ]);
  });

  it("is never another account's", async () => {
    const [owner, other] = [account(), account()];
    const start = (await since(owner)).position;
    await sent(other);
    await deviceGone(other);
    expect(await since(owner, start)).toMatchObject({ changes: [], reset: false });
    expect(kinds((await since(other, start)).changes)).toEqual(['created', 'devices']);
  });

  it.each(['', 'nonsense', '-1', '1e3', "1' OR '1'='1", '99999999999999999999', String(2n ** 63n - 1n)])(
    '"%s" is no position of ours: everything has to be read again',
    async (after) => {
      const owner = account();
      const asked = after === '' ? 'x' : after;
      expect(await since(owner, asked)).toMatchObject({ changes: [], reset: true });
    },
  );

  it('is told up to five hundred; beyond that everything has to be read again', async () => {
    const owner = account();
    const start = (await since(owner)).position;
    const id = newId('anot', clock.ms());
    const event = {
      type: 'InboxItemRead',
      accountId: owner,
      itemId: `notification:${id}`,
      readAt: clock.now(),
    };
    await append('inbox', owner, owner, ...Array(maxMissed).fill(event));
    expect((await since(owner, start)).reset).toBe(false);
    await append('inbox', owner, owner, event);
    expect(await since(owner, start)).toMatchObject({ changes: [], reset: true });
  });

  it('wakes the watches of the account', async () => {
    const [owner, other] = [account(), account()];
    const heard: AccountChangedSignal[] = [];
    const stop = bus.onSignalOf<AccountChangedSignal>('account.changed', owner, (data) => heard.push(data));
    await bus.alive();
    await sent(other);
    const { position } = await sent(owner);
    await eventually(
      () => heard.find((signal) => signal.position === position),
      () => `heard only ${JSON.stringify(heard)}`,
    );
    stop();
    const { newest } = (
      await bus.ask(AccountChanges.newest, { accountIds: [owner, other, account()] }, contextOf(''))
    ).value;
    expect(newest).toHaveLength(2);
    expect(newest).toContainEqual({ accountId: owner, position });
  });
});

const rowsOf = (accountId: string) =>
  service.get(Database).query(`SELECT FROM changes WHERE account_id = $1`, [accountId]);

describe('old changes', () => {
  it('beyond the maximum are deleted, and a client from before them still gets a reset', async () => {
    const [owner, quiet] = [account(), account()];
    const start = (await since(owner)).position;
    await sent(quiet);
    const event = { type: 'InboxItemUnread', accountId: owner, itemId: 'event:evt_1', at: clock.now() };
    await append('inbox', owner, owner, ...Array(maxMissed + 50).fill(event));
    await clock.advance(0);
    expect(await rowsOf(owner)).toHaveLength(maxMissed + 1);
    expect((await since(owner, start)).reset).toBe(true);
    expect((await since(quiet, start)).changes).toHaveLength(1);
  });

  it('are not sent after a day, but a reset, and are dropped with their partition', async () => {
    const owner = account();
    const start = (await since(owner)).position;
    const old = await sent(owner);
    await clock.advance(23 * 3_600_000);
    expect(kinds((await since(owner, start)).changes)).toEqual(['created']);
    expect(await rowsOf(owner)).toHaveLength(1);
    await clock.advance(3_601_000);
    expect(await since(owner, start)).toMatchObject({ changes: [], reset: true });
    await clock.advance(24 * 3_600_000);
    expect(await rowsOf(owner)).toEqual([]);
    expect(await since(owner, start)).toMatchObject({ changes: [], reset: true });
    const again = (await since(owner, old.position)).position;
    const fresh = await sent(owner);
    const { changes, reset } = await since(owner, again);
    expect({ reset, positions: changes.map(({ position }) => position) }).toEqual({
      reset: false,
      positions: [fresh.position],
    });
  });

  it('are all deleted, however many there are', async () => {
    const [old, many] = [account(), account()];
    const database = service.get(Database);
    await database.query(
      `INSERT INTO changes (account_id, position, kind, at)
       SELECT $1::text, -n, 'all_read', $3::timestamptz FROM generate_series(1, 6000) n UNION ALL
       SELECT $2, -n, 'all_read', $4::timestamptz FROM generate_series(1, 6000) n`,
      [old, many, new Date(clock.ms() - 2 * 86_400_000), clock.now()],
    );
    await clock.advance(0);
    const rows = await database.query(
      `SELECT account_id, count(*)::int AS n, min(position)::int AS oldest FROM changes
       WHERE account_id = ANY($1) GROUP BY account_id`,
      [[old, many]],
    );
    expect(rows).toEqual([{ account_id: many, n: maxMissed + 1, oldest: -maxMissed - 1 }]);
  });

  it('do not come back after a rebuild of the rows', async () => {
    const owner = account();
    const { position } = await sent(owner);
    const rows = async () => ({
      changes: await service
        .get(Database)
        .query(`SELECT * FROM changes WHERE account_id = $1 ORDER BY position`, [owner]),
      old: await service
        .get(Database)
        .query(`SELECT * FROM changes WHERE at < $1`, [new Date(clock.ms() - 86_400_000)]),
    });
    const before = await rows();
    expect(before).toMatchObject({ changes: [{ position }], old: [] });
    await service.get(Projections).rebuild('changes');
    expect(await rows()).toEqual(before);
    expect((await since(owner, '1')).reset).toBe(true);
    expect(await since(owner, position)).toMatchObject({ changes: [], reset: false });
  });
});
