import { Inbox, type InboxEvent, type NotificationSent } from '@carillon/contracts';
import { Database, holdProjection, Projections } from '@carillon/event-store';
import { type DomainEvent, type Instant, instant, plus } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import { contextOf, eventually, interactionAsked, notificationSent, rowsReach } from '@carillon/testkit';
import { append, begin, bus, clock, end, service } from '../testbed';
import { deleteItems } from './expired.entity';
import { isUnread, itemsWithMarks, unreadCount } from './read-state';

type Asked = ReturnType<typeof contextOf>;

const keepDays = 8;
const dayMs = 24 * 60 * 60 * 1_000;

beforeAll(() => begin({ keepDays }), 60_000);
afterAll(end, 60_000);

const daysAgo = (days: number): Instant => instant(clock.ms() - days * dayMs);
const item = ({ notificationId }: NotificationSent): string => `notification:${notificationId}`;
const sent = (accountId: string, sentAt: Instant, more: Partial<NotificationSent> = {}): NotificationSent =>
  notificationSent({
    ...{ notificationId: newId('anot', Date.parse(sentAt)), accountId, sentAt, deviceIds: [] },
    ...more,
  });

async function happened(category: string, accountId: string, ...events: DomainEvent[]): Promise<Asked> {
  const position = await append(category, streamTail(accountId), accountId, ...events);
  await rowsReach(service.get(Projections), 'inbox', position);
  return contextOf(accountId, position);
}
const receives = (accountId: string, ...events: NotificationSent[]) =>
  happened('notification', accountId, ...events);
const items = async (asked: Asked, input: { limit?: number; cursor?: string } = {}) =>
  (await bus.ask(Inbox.list, input, asked)).value;
const titles = async (asked: Asked) => (await items(asked)).items.map(({ title }) => title);
const projects = async (asked: Asked) => (await bus.ask(Inbox.projects, {}, asked)).value;
/** Moves the clock, upon which all expires that is past its time. */
const pass = (days: number) => clock.advance(days * dayMs);
const expire = (before: Instant, limit: number): Promise<number> =>
  service.get(Database).transaction(async (sql) => {
    await holdProjection(sql, 'inbox');
    return deleteItems(sql, before, limit);
  });
const rowsOf = async (accountId: string): Promise<number[]> =>
  Promise.all(
    ['items', 'projects', 'reads', 'exceptions'].map(async (table) => {
      const rows = await service
        .get(Database)
        .query(`SELECT FROM inbox_${table} WHERE account_id = $1`, [accountId]);
      return rows.length;
    }),
  );

/** The accounts whose counts differ from their items, in one snapshot. */
const wrongCounts = () =>
  service.get(Database).query(
    `SELECT * FROM (
       SELECT i.account_id, i.project_id, count(*) AS total, count(*) FILTER (WHERE ${isUnread}) AS unread
       FROM ${itemsWithMarks} GROUP BY 1, 2) listed
     FULL JOIN (
       SELECT p.account_id, p.project_id, total_count AS total, ${unreadCount} AS unread
       FROM inbox_projects p LEFT JOIN inbox_marks a USING (account_id) WHERE p.total_count > 0) counted
       USING (account_id, project_id)
     WHERE (listed.total, listed.unread) IS DISTINCT FROM (counted.total, counted.unread)`,
  );

describe('an item that is past its time', () => {
  it('is in no list or count, missing by its id, and leaves nothing', async () => {
    const account = newId('usr', clock.ms());
    const old = sent(account, daysAgo(7), { title: 'old', projectId: 'web', projectName: 'The web' });
    const asked = await receives(
      account,
      old,
      sent(account, daysAgo(6), { title: 'read', projectId: 'web' }),
    );
    const { readThroughToken } = await items(asked);
    const marked = await bus.ask(Inbox.readAll, { readThroughToken }, asked);
    const { position } = await bus.ask(Inbox.unread, { id: item(old) }, contextOf(account, marked.position));
    const seen = contextOf(account, position);
    expect(await projects(seen)).toMatchObject({
      projects: [{ name: 'The web', totalCount: 2, unreadCount: 1, latestTitle: 'read' }],
      totalUnread: 1,
    });
    expect(await rowsOf(account)).toEqual([2, 1, 1, 1]);

    await pass(1.5);
    expect(await titles(seen)).toEqual(['read']);
    for (const contract of [Inbox.get, Inbox.read, Inbox.unread])
      await expect(bus.ask<{ id: string }, unknown>(contract, { id: item(old) }, seen)).rejects.toMatchObject(
        { reason: 'inbox_item.not_found' },
      );
    expect(await projects(seen)).toMatchObject({
      projects: [{ name: 'The web', totalCount: 1, unreadCount: 0, latestTitle: 'read' }],
      totalUnread: 0,
    });

    await pass(1);
    expect(await projects(seen)).toEqual({ projects: [], totalUnread: 0, nextCursor: null });
    expect(await rowsOf(account)).toEqual([0, 0, 0, 0]);
    expect((await bus.ask(Inbox.readAll, { readThroughToken }, seen)).value.updated).toBe(0);
  });

  it('ends a list where its next page would begin', async () => {
    const account = newId('usr', clock.ms());
    const asked = await receives(
      account,
      sent(account, daysAgo(7.5), { title: 'old' }),
      ...[3, 2, 1].map((days) => sent(account, daysAgo(days), { title: `${days}` })),
    );
    const { nextCursor } = await items(asked, { limit: 2 });
    await pass(1);
    const rest = await items(asked, { limit: 2, cursor: nextCursor ?? '' });
    expect([rest.items.map(({ title }) => title), rest.nextCursor]).toEqual([['3'], null]);
    await pass(7);
    expect(await items(asked, { limit: 2, cursor: nextCursor ?? '' })).toMatchObject({
      items: [],
      nextCursor: null,
    });
  });

  it('gets no row when it arrives late, and marks of it do nothing', async () => {
    const account = newId('usr', clock.ms());
    const late = sent(account, daysAgo(9), { title: 'late', projectId: 'web' });
    await receives(account, late, sent(account, daysAgo(1), { title: 'new' }));
    const mark: InboxEvent = {
      ...{ type: 'InboxItemUnread', accountId: account, itemId: item(late) },
      at: daysAgo(0),
    };
    const asked = await happened('inbox', account, mark);
    expect(await titles(asked)).toEqual(['new']);
    expect(await projects(asked)).toMatchObject({ projects: [{ projectId: null }], totalUnread: 1 });
    expect(await rowsOf(account)).toEqual([1, 1, 0, 0]);
  });
});

it('a project that only prompts name is listed as long as an item would be', async () => {
  const account = newId('usr', clock.ms());
  const prompt = (projectId: string, askedAt: Instant) =>
    interactionAsked({
      ...{ interactionId: newId('int', Date.parse(askedAt)), accountId: account, askedAt },
      ...{ projectId, projectName: `The ${projectId}` },
    });
  await receives(account, sent(account, daysAgo(7), { title: 'old', projectId: 'web' }));
  const asked = await happened(
    'interaction',
    account,
    ...[prompt('web', daysAgo(6)), prompt('shop', daysAgo(5)), prompt('former', daysAgo(9))],
  );
  const listed = async () =>
    (await projects(asked)).projects.map(({ name, totalCount, latestTitle }) => [
      name,
      totalCount,
      latestTitle,
    ]);
  const [web, shop] = [
    ['The web', 0, null],
    ['The shop', 0, null],
  ];
  expect(await listed()).toEqual([['The web', 1, 'old'], shop]);
  await pass(1.5);
  expect(await listed()).toEqual([shop, web]);
  await pass(1);
  expect(await listed()).toEqual([shop]);
  await pass(1);
  expect(await listed()).toEqual([]);
  expect(await rowsOf(account)).toEqual([0, 0, 0, 0]);
});

describe('many items', () => {
  /** Rows as many events leave them, many of one moment. */
  const received = async (count: number): Promise<string> => {
    const account = newId('usr', clock.ms());
    await service.get(Database).transaction(async (sql) => {
      await sql.query(
        `INSERT INTO inbox_items (account_id, item_id, subject_id, origin, project_id, source_name, title, preview,
           body, body_format, status, receipts, created_at)
         SELECT $1, 'notification:anot_' || n, 'anot_' || n, 'notification', 'p' || n % 2, 'CI', 'red', 'main', 'main',
           'text', 'delivered', '[]', $3::timestamptz + n / 900 * interval '1 ms'
         FROM generate_series(1, $2::integer) n`,
        [account, count, daysAgo(7)],
      );
      await sql.query(
        `INSERT INTO inbox_projects (account_id, project_id, name, unread_count, total_count)
         SELECT account_id, project_id, project_id, count(*), count(*) FROM inbox_items WHERE account_id = $1
         GROUP BY 1, 2`,
        [account],
      );
      await sql.query(`ANALYZE inbox_items`);
    });
    return account;
  };
  const sinceAll = () => plus(daysAgo(7), dayMs / 2);

  it('leave in parts, two at once, while all are marked read, and every reader finds counts that agree with the lists', async () => {
    const account = await received(20_000);
    const asked = { ...contextOf(account), deadline: Date.now() + 60_000 };
    const { readThroughToken } = await items(asked);
    const before = sinceAll();
    const slices = async (): Promise<number> => {
      let sum = 0;
      for (let count = -1; count !== 0; sum += count) count = await expire(before, 700);
      return sum;
    };
    let isOver = false;
    const reading = (async () => {
      let reads = 0;
      for (; !isOver; reads += 1) expect(await wrongCounts()).toEqual([]);
      return reads;
    })();
    const marking = bus.ask(Inbox.readAll, { readThroughToken }, asked);
    const done = Promise.all([slices(), slices(), marking]).finally(() => (isOver = true));
    const [[one, other, { position = '0' }], reads] = await Promise.all([done, reading]);
    expect(one + other).toBe(20_000);
    expect(reads).toBeGreaterThan(1);
    await rowsReach(service.get(Projections), 'inbox', position);
    expect(await projects(contextOf(account, position))).toMatchObject({ projects: [], totalUnread: 0 });
    expect(await wrongCounts()).toEqual([]);
    expect(await expire(before, 700)).toBe(0);
  }, 120_000);

  it('leave while their account is deleted, and nothing is left', async () => {
    const account = await received(3_000);
    const before = sinceAll();
    await expire(before, 700);
    await append('account', streamTail(account), account, {
      ...{ type: 'AccountDeleted', accountId: account, deletedAt: clock.now() },
    } as DomainEvent);
    while ((await expire(before, 700)) > 0);
    await clock.advance(1_000);
    await eventually(
      async () => ((await rowsOf(account)).every((count) => count === 0) ? true : undefined),
      () => 'rows of the deleted account are left',
    );
    expect(await wrongCounts()).toEqual([]);
  }, 120_000);
});

it('a projection writes nothing while a part of its rows leaves, nor does a replay of what it left out', async () => {
  const account = newId('usr', clock.ms());
  const [database, projections] = [service.get(Database), service.get(Projections)];
  await database.query(
    `INSERT INTO set_aside (projection, account_id, applied, position, event_type, error)
     VALUES ('inbox', $1, 0, 1, 'NotificationSent', 'error')`,
    [account],
  );
  let position = '0';
  await database.transaction(async (sql) => {
    await holdProjection(sql, 'inbox');
    position = await append('notification', streamTail(account), account, sent(account, daysAgo(1)));
    await rowsReach(projections, 'changes', position);
    expect(projections.has('inbox', BigInt(position))).toBe(false);
    expect(await rowsOf(account)).toEqual([0, 0, 0, 0]);
    const replay = await database.connect();
    await replay.query(`SET lock_timeout = '100ms'`);
    await expect(
      replay.query(`UPDATE set_aside SET applied = 1 WHERE account_id = $1`, [account]),
    ).rejects.toMatchObject({ code: '55P03' });
    await replay.end();
  });
  await database.query(`DELETE FROM set_aside WHERE account_id = $1`, [account]);
  await rowsReach(projections, 'inbox', position);
  expect(await rowsOf(account)).toEqual([1, 1, 0, 0]);
});
