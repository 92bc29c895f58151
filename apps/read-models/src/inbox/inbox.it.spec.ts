import {
  type AppEvent,
  ActivityFeed,
  Inbox,
  type NotificationSent,
  type NotificationWithdrawnEvent,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import {
  indexesOf,
  contextOf,
  eventReceived,
  notificationSent,
  pushReported,
  rowsReach,
} from '@carillon/testkit';
import { append, begin, bus, end, log, service } from '../testbed';
import { itemOrder } from './read-state';

beforeAll(() => begin({ keepDays: 0 }), 60_000);
afterAll(end, 60_000);

let clock = Date.parse('2026-11-20T09:00:00.000Z');
async function sent(accountId: string, more: Partial<NotificationSent> = {}) {
  const event = sentEvent(accountId, more);
  const { notificationId } = event;
  const position = await append('notification', streamTail(notificationId), accountId, event);
  return { notificationId, item: `notification:${notificationId}`, position };
}
/** Many, in one stream for the sake of speed; resolves when the inbox has them. */
async function sentAll(accountId: string, all: readonly Partial<NotificationSent>[]) {
  let position = '0';
  for (let from = 0; from < all.length; from += 500) {
    const events = all.slice(from, from + 500).map((more) => sentEvent(accountId, more));
    position = await append('notification', `all_${accountId}`, accountId, ...events);
  }
  await rowsReach(service.get(Projections), 'inbox', position);
  return { position };
}
const sentEvent = (accountId: string, more: Partial<NotificationSent>): NotificationSent =>
  notificationSent({
    notificationId: newId('anot', clock),
    accountId,
    deviceIds: ['dev_1', 'dev_2'],
    sentAt: instant((clock += 1_000)),
    ...more,
  });
function reported(accountId: string, subjectId: string, accepted: number, final = true): Promise<string> {
  const event = pushReported({
    subjectId,
    accountId,
    accepted,
    receipts: [1, 2].map((n) => ({
      id: `rcp_${n}`,
      deviceId: `dev_${n}`,
      status: n <= accepted ? 'accepted' : 'error',
      errorCode: null,
      checkedAt: instant(clock),
    })),
    final,
    reportedAt: instant(clock),
  });
  return append('delivery', subjectId, accountId, event);
}
const list = async (accountId: string, after?: string) =>
  (await bus.ask(Inbox.list, {}, contextOf(accountId, after))).value;

describe('the inbox projection', () => {
  it('files a notification and follows its push', async () => {
    const account = newId('usr', clock);
    const { item, notificationId, position } = await sent(account);
    expect((await list(account, position)).items).toEqual([
      expect.objectContaining({ id: item, readAt: null }),
    ]);
    const open = (await bus.ask(Inbox.get, { id: item }, contextOf(account, position))).value;
    expect(open.status).toBe('accepted');
    expect(open.pushReceipts?.map(({ status }) => status)).toEqual(['pending', 'pending']);

    const settled = await reported(account, notificationId, 1);
    const closed = (await bus.ask(Inbox.get, { id: item }, contextOf(account, settled))).value;
    expect(closed.status).toBe('partial');
    expect(closed.pushReceipts?.map(({ status }) => status)).toEqual(['accepted', 'error']);
  });

  it('shows the app of an item by its newest name, until it is removed', async () => {
    const account = newId('usr', clock);
    const appId = newId('app', clock);
    const ofApp = { appId, accountId: account, teamId: null, former: null } as const;
    const happened = (event: AppEvent) => append('app', streamTail(appId), account, event);
    const origin = 'https://dash.test';
    await happened({
      ...{ type: 'AppAdded', appId, accountId: account, addedAt: instant(clock) },
      ...{ name: 'Dash', url: origin, origin, iconUrl: null, projectId: null, projectName: null },
    });
    const { item } = await sent(account, { appId });
    const { position } = await sent(account);
    const shown = async (after: string) => [
      ...(await list(account, after)).items.map(({ app }) => app),
      (await bus.ask(Inbox.get, { id: item }, contextOf(account, after))).value.app,
    ];
    const app = { id: appId, name: 'Dash', origin, iconUrl: null };
    expect(await shown(position)).toEqual([null, app, app]);
    const renamed = await happened({
      type: 'AppChanged',
      ...ofApp,
      name: 'Board',
      changedAt: instant(clock),
    });
    expect(await shown(renamed)).toEqual([null, { ...app, name: 'Board' }, { ...app, name: 'Board' }]);
    const removed = await happened({ type: 'AppRemoved', ...ofApp, removedAt: instant(clock) });
    expect(await shown(removed)).toEqual([null, null, null]);
  });

  it('answers 503 rather than something old', async () => {
    const account = newId('usr', clock);
    await service.get(Database).transaction(async (sql) => {
      await sql.query(`SELECT 1 FROM projection_checkpoints WHERE name = 'inbox' FOR UPDATE`);
      const { position } = await sent(account);
      await expect(list(account, position)).rejects.toMatchObject({ reason: 'projection.behind' });
    });
  });

  it('keeps the numbers right whatever comes in whatever order', async () => {
    const account = newId('usr', clock);
    const items = [];
    for (let n = 0; n < 30; n += 1)
      items.push(await sent(account, { title: `n${n}`, projectId: n % 3 ? `p${n % 3}` : null }));
    let after = items.at(-1)?.position;
    for (const [index, { item }] of items.entries()) {
      const verb = index % 4 === 0 ? Inbox.read : index % 4 === 1 ? Inbox.unread : undefined;
      if (verb) after = (await bus.ask(verb, { id: item }, contextOf(account, after))).position ?? after;
    }
    const { readThroughToken } = await list(account, after);
    const later = await sent(account, { title: 'later' });
    const all = await bus.ask(Inbox.readAll, { readThroughToken }, contextOf(account, later.position));
    expect(all.value.updated).toBe(30 - 8);
    const projects = (await bus.ask(Inbox.projects, {}, contextOf(account, all.position))).value;
    expect(projects.totalUnread).toBe(1);
    expect(projects.projects.reduce((sum, project) => sum + project.totalCount, 0)).toBe(31);
  });

  it('forgot the name of a project that is called as its id is', async () => {
    const account = newId('usr', clock);
    const nameAfter = async (projectName: string | null) => {
      const { position } = await sent(account, { projectId: 'web', projectName });
      const { projects } = (await bus.ask(Inbox.projects, {}, contextOf(account, position))).value;
      return projects.map((project) => project.name);
    };
    expect(await nameAfter(null)).toEqual(['web']);
    expect(await nameAfter('The web')).toEqual(['The web']);
    expect(await nameAfter(null)).toEqual(['The web']);
    expect(await nameAfter('web')).toEqual(['web']);
    expect(await nameAfter(null)).toEqual(['web']);
  });

  it('marks with read-all no item that the list could not show: other text, other project, read ones', async () => {
    const account = newId('usr', clock);
    await sent(account, { title: 'Deploy 100%', body: 'done' });
    await sent(account, { title: 'Backup', body: 'a DEPLOY 100% in the text', projectId: 'web' });
    await sent(account, { title: 'Deploy 1000', body: 'not it' });
    const { position } = await sent(account, { title: 'Backup', body: 'nothing' });
    let after: string | undefined = position;
    const readAll = async (filter: object): Promise<number> => {
      const { readThroughToken } = (await bus.ask(Inbox.list, filter, contextOf(account, after))).value;
      const marked = await bus.ask(Inbox.readAll, { readThroughToken }, contextOf(account, after));
      after = marked.position ?? after;
      return marked.value.updated;
    };
    const unread = async () =>
      (await bus.ask(Inbox.list, { unread: true }, contextOf(account, after))).value.items.map(
        ({ title }) => title,
      );
    expect(await readAll({ unread: false })).toBe(0);
    expect(await readAll({ q: 'deploy 100%', projectId: 'none' })).toBe(1);
    expect(await unread()).toEqual(['Backup', 'Deploy 1000', 'Backup']);
    expect(await readAll({ q: 'deploy 100%', unread: true })).toBe(1);
    expect(await unread()).toEqual(['Backup', 'Deploy 1000']);
    // As long as they can be.
    expect(await readAll({ q: '語'.repeat(100), projectId: '語'.repeat(64) })).toBe(0);
    expect(await readAll({})).toBe(2);
  });

  it('marks all that a search found, however many', async () => {
    const account = newId('usr', clock);
    const events = Array.from({ length: 1_200 }, (_, n) => ({ title: n % 4 ? 'Deploy' : 'Backup' }));
    const { position } = await sentAll(account, events);
    const asked = contextOf(account, position);
    const { readThroughToken } = (await bus.ask(Inbox.list, { q: 'deploy' }, asked)).value;
    await sent(account, { title: 'Deploy' });
    const marked = await bus.ask(Inbox.readAll, { readThroughToken }, asked);
    expect(marked.value.updated).toBe(900);
    const after = contextOf(account, marked.position);
    const { projects } = (await bus.ask(Inbox.projects, {}, after)).value;
    expect(projects).toMatchObject([{ unreadCount: 301, totalCount: 1_201 }]);
    const again = await bus.ask(Inbox.readAll, { readThroughToken }, after);
    expect(again.value.updated).toBe(0);
  });

  it('marks with the token of a later page the items of the pages before it too', async () => {
    const account = newId('usr', clock);
    for (const title of ['n1', 'n2']) await sent(account, { title });
    const { position } = await sent(account, { title: 'n3' });
    const page = async (cursor?: string) =>
      (await bus.ask(Inbox.list, { limit: 1, cursor }, contextOf(account, position))).value;
    const second = await page((await page()).nextCursor ?? '');
    expect(second.items).toMatchObject([{ title: 'n2' }]);
    const { readThroughToken } = await page(second.nextCursor ?? '');
    expect(
      (await bus.ask(Inbox.readAll, { readThroughToken }, contextOf(account, position))).value.updated,
    ).toBe(3);
  });

  it('refuses none of many marks at once, since each lost try is another mark that was made', async () => {
    const account = newId('usr', clock);
    const items = [];
    for (let n = 0; n < 12; n += 1) items.push(await sent(account, { title: `n${n}` }));
    const after = items.at(-1)?.position;
    const marked = await Promise.all(
      items.map(({ item }) => bus.ask(Inbox.read, { id: item }, contextOf(account, after))),
    );
    expect(marked.map(({ value }) => value)).toEqual(items.map(() => expect.objectContaining({ ok: true })));
  });

  it('keeps what somebody searched for in no event', async () => {
    const account = newId('usr', clock);
    const { position } = await sent(account, { title: 'A secret plan' });
    const { readThroughToken } = (
      await bus.ask(Inbox.list, { q: 'secret plan' }, contextOf(account, position))
    ).value;
    const marked = await bus.ask(Inbox.readAll, { readThroughToken }, contextOf(account, position));
    expect((await list(account, marked.position)).items).toMatchObject([{ readAt: expect.any(String) }]);
    const stored = await log.store.readLast(`inbox-${account}`);
    expect(stored?.type).toBe('InboxItemsRead');
    expect(JSON.stringify(stored?.data)).not.toContain('secret plan');
  });

  it('lists an account with 1,500 projects page by page, each project once, with the sum of all on each page', async () => {
    const account = newId('usr', clock);
    const events = Array.from({ length: 1_500 }, (_, n) => ({ title: `n${n}`, projectId: `p${n}` }));
    const { position } = await sentAll(account, events);
    const seen: (string | null)[] = [];
    let cursor: string | null | undefined;
    do {
      const asked = { limit: 500, ...(cursor && { cursor }) };
      const page = (await bus.ask(Inbox.projects, asked, contextOf(account, position))).value;
      expect(page.totalUnread).toBe(1_500);
      seen.push(...page.projects.map(({ projectId }) => projectId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(events.map(({ projectId }) => projectId).reverse());
    const first = (await bus.ask(Inbox.projects, {}, contextOf(account, position))).value;
    expect(first.projects).toHaveLength(200);
    const other = newId('usr', clock);
    await expect(
      bus.ask(Inbox.projects, { cursor: first.nextCursor ?? '' }, contextOf(other)),
    ).rejects.toMatchObject({ reason: 'list.invalid_cursor' });
  });

  it('has no column that events leave as it began', async () => {
    const [account, other] = [newId('usr', clock), newId('usr', clock)];
    await sent(other, { deviceIds: [] });
    const { notificationId } = await sent(account, {
      ...{ title: 'Deploy', body: '# Done', bodyFormat: 'markdown', summary: 'It is done', projectId: 'web' },
      ...{ sourceName: 'Deployer', url: 'https://example.com', imageUrl: 'https://example.com/a.png' },
      appId: 'app_1',
      recipients: [other],
    });
    const event = eventReceived({
      ...{ eventId: newId('evt', clock), accountId: account, serviceImageUrl: 'https://example.com/b.png' },
      receivedAt: instant((clock += 1_000)),
    });
    await append('event', streamTail(event.eventId), account, event);
    const withdrawn: NotificationWithdrawnEvent = {
      ...{ type: 'NotificationWithdrawn', notificationId, accountId: account, status: 'withdrawn' },
      ...{ accepted: 2, withdrawnAt: instant((clock += 1_000)) },
    };
    const tail = streamTail(notificationId);
    const position = await append('notification', tail, account, withdrawn);
    await list(account, String(position));
    const rows = await service
      .get(Database)
      .query<{ item: Record<string, unknown> }>(
        `SELECT to_jsonb(i) AS item FROM inbox_items i WHERE account_id = ANY($1)`,
        [[account, other]],
      );
    const valuesOf = (column: string) => new Set(rows.map(({ item }) => JSON.stringify(item[column])));
    const columns = Object.keys(rows[0]?.item ?? {});
    expect(columns).toContain('title');
    expect(columns.filter((column) => valuesOf(column).size < 2)).toEqual([]);
  });

  it('rebuilt from the log is equal to what it was', async () => {
    const database = service.get(Database);
    const rows = async () => ({
      items: await database.query(`SELECT * FROM inbox_items ORDER BY account_id, item_id`),
      projects: await database.query(`SELECT * FROM inbox_projects ORDER BY account_id, project_id`),
      marks: await database.query(`SELECT * FROM inbox_marks ORDER BY account_id`),
      reads: await database.query(`SELECT * FROM inbox_reads ORDER BY account_id, revision`),
      exceptions: await database.query(`SELECT * FROM inbox_exceptions ORDER BY account_id, item_id`),
    });
    const before = await rows();
    expect(before.items.length).toBeGreaterThan(30);
    await service.get(Projections).rebuild('inbox');
    expect(await rows()).toEqual(before);

    // And it goes on from there.
    const account = newId('usr', clock);
    const { item, position } = await sent(account);
    expect((await list(account, position)).items).toEqual([expect.objectContaining({ id: item })]);
  });
});

describe('searches that take long', () => {
  it('of one account do not take the connections that others read with', async () => {
    const [busy, neighbour] = [newId('usr', clock), newId('usr', clock)];
    await sent(busy, { title: 'Needle' });
    const { position } = await sent(neighbour);
    const search = () => bus.ask(Inbox.list, { q: 'needle' }, contextOf(busy, position));
    await search();
    // The rows of the neighbour are of another partition.
    for (const name of ['inbox', 'feed']) await rowsReach(service.get(Projections), name, position);
    // No search comes to an end while somebody else has the items.
    const guard = await service.get(Database).connect();
    await guard.query('BEGIN; LOCK TABLE inbox_items IN ACCESS EXCLUSIVE MODE');
    const searches = Array.from({ length: 20 }, search);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { value } = await bus.ask(
      ActivityFeed.read,
      {},
      { ...contextOf(neighbour, position), deadline: Date.now() + 2_000 },
    );
    expect(value.items).toHaveLength(1);
    await guard.query('COMMIT');
    for (const { value: found } of await Promise.all(searches))
      expect(found.items.map(({ title }) => title)).toEqual(['Needle']);
    await guard.end();
  });
});

it('the inbox has indexes in its order', async () => {
  expect(await indexesOf(service.get(Database), 'inbox_items')).toEqual(
    expect.arrayContaining([
      `(account_id, ${itemOrder.index})`,
      `(account_id, project_id, ${itemOrder.index})`,
      `(account_id, project_id, ${itemOrder.index}) WHERE (read_at IS NULL)`,
    ]),
  );
});
