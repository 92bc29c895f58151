import {
  ActivityFeed,
  Events,
  type EventReceived,
  Inbox,
  type ServiceChanged,
  type TeamChanged,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import {
  indexesOf,
  contextOf,
  eventReceived,
  newAccount,
  notificationSent,
  pushReported,
  rowsReach,
} from '@carillon/testkit';
import { append, begin, bus, clock, end, log, service } from '../testbed';
import { eventOrder } from './event.handlers';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

const dayMs = 24 * 60 * 60 * 1000;
let seconds = 0;
/** A minute ago and a second later each time. */
const nextMoment = (): string => instant(clock.ms() - 600_000 + (seconds += 1) * 1_000);

async function received(accountId: string, more: Partial<EventReceived> = {}) {
  const receivedAt = more.receivedAt ?? nextMoment();
  const eventId = newId('evt', Date.parse(receivedAt));
  const event = eventReceived({
    eventId,
    accountId,
    serviceId: `svc_of_${accountId}`,
    serviceImageUrl: 'https://ci.test/logo.png',
    title: 'Build',
    body: 'main is **green**',
    bodyFormat: 'markdown',
    url: 'https://ci.test',
    deviceIds: ['dev_1', 'dev_2'],
    receivedAt,
    ...more,
  });
  return { eventId, position: await append('event', streamTail(eventId), accountId, event) };
}
async function sent(accountId: string, title: string, sentAt = nextMoment()) {
  const notificationId = newId('anot', Date.parse(sentAt));
  const event = notificationSent({
    notificationId,
    accountId,
    sourceName: 'Agent',
    title,
    body: 'a body',
    deviceIds: [],
    sentAt,
  });
  return append('notification', streamTail(notificationId), accountId, event);
}
const reported = (accountId: string, subjectId: string, accepted: number, final = true) => {
  const event = pushReported({
    subjectId,
    accountId,
    accepted,
    receipts: [1, 2].map((n) => ({
      id: `rcp_${n}`,
      deviceId: `dev_${n}`,
      status: n <= accepted ? 'accepted' : 'error',
      errorCode: n <= accepted ? null : 'unregistered',
      checkedAt: nextMoment(),
    })),
    final,
    reportedAt: nextMoment(),
  });
  return append('delivery', subjectId, accountId, event);
};
const events = async (accountId: string, input: object = {}, after?: string) =>
  (await bus.ask(Events.list, input, contextOf(accountId, after))).value;
const feed = async (accountId: string, input: object = {}, after?: string) =>
  (await bus.ask(ActivityFeed.read, input, contextOf(accountId, after))).value;

describe('an event', () => {
  it('of 8,000 Japanese characters is listed among 50 such, on as many pages as that takes', async () => {
    const account = newAccount();
    const sentIds: string[] = [];
    let after: string | undefined;
    for (let n = 0; n < 50; n += 1) {
      const { eventId, position } = await received(account, { title: `n${n}`, body: '語'.repeat(8_000) });
      sentIds.unshift(eventId);
      after = position;
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page = await events(account, { limit: 100, ...(cursor && { cursor }) }, after);
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(530_000);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor);
    expect(seen).toEqual(sentIds);
    expect(pages).toBe(3);
  });

  it('is listed with what became of it', async () => {
    const account = newAccount();
    const { eventId, position } = await received(account);
    expect((await events(account, {}, position)).items).toEqual([
      {
        id: eventId,
        serviceId: `svc_of_${account}`,
        serviceTitle: 'CI',
        title: 'Build',
        body: 'main is **green**',
        imageUrl: null,
        url: 'https://ci.test',
        status: 'accepted',
        deliveredCount: 0,
        error: null,
        createdAt: expect.any(String),
      },
    ]);
    for (const [accepted, final, status, error] of [
      [1, false, 'accepted', 'unregistered'],
      [2, true, 'delivered', null],
      [1, true, 'partial', 'unregistered'],
      [0, true, 'failed', 'unregistered'],
    ] as const) {
      const after = await reported(account, eventId, accepted, final);
      expect((await events(account, {}, after)).items).toMatchObject([
        { status, deliveredCount: accepted, error },
      ]);
    }
  });

  it('of a shared service is kept as long as its family wants, and of others as long as before', async () => {
    const [account, other] = [newAccount(), newAccount()];
    const familyId = newId('team', clock.ms());
    const receivedAt = instant(clock.ms() - 8 * dayMs);
    const shared = await received(account, { familyId, recipients: [other], receivedAt });
    const own = await received(account, { receivedAt });
    expect((await events(other, {}, own.position)).items).toHaveLength(1);
    const keeping: TeamChanged = {
      type: 'TeamChanged',
      teamId: familyId,
      retentionDays: 7,
      changedAt: nextMoment(),
    };
    const after = await append('team', streamTail(familyId), familyId, keeping);
    expect((await events(account, {}, after)).items).toMatchObject([{ id: own.eventId }]);
    expect((await events(other, {}, after)).items).toEqual([]);
    const rowsOf = (eventId: string) =>
      service.get(Database).query(`SELECT FROM events WHERE event_id = $1`, [eventId]);
    expect(await rowsOf(shared.eventId)).toEqual([]);
    const young = await received(account, { familyId, receivedAt: instant(clock.ms() - 6.9 * dayMs) });
    expect((await events(account, {}, young.position)).items).toHaveLength(2);
    await clock.advance(dayMs / 4);
    expect((await events(account)).items).toMatchObject([{ id: own.eventId }]);
    expect(await rowsOf(young.eventId)).toEqual([]);
  });

  it('is deleted with all others that are too old, however many there are', async () => {
    const [account, other, familyId] = [newAccount(), newAccount(), newId('team', clock.ms())];
    const database = service.get(Database);
    await database.query(`INSERT INTO event_retentions (family_id, days) VALUES ($1, 7)`, [familyId]);
    const add = (family: string | null, ageDays: number, count: number) =>
      database.query(
        `INSERT INTO events (event_id, account_id, family_id, service_id, service_title, body, status, created_at)
         SELECT concat('evt_', $4::text, n), a, $2, 's', 's', 'b', 'accepted', $3::timestamptz
         FROM generate_series(1, $5::int) n, unnest($1::text[]) a`,
        [[account, other], family, instant(clock.ms() - ageDays * dayMs), `${family}-${ageDays}-`, count],
      );
    await add(null, 400, 3_000);
    await add(familyId, 8, 3_000);
    await add(familyId, 6, 1);
    await clock.advance(0);
    const rows = await database.query(
      `SELECT event_id FROM events WHERE account_id = ANY($1) ORDER BY account_id`,
      [[account, other]],
    );
    expect(rows).toEqual(Array(2).fill({ event_id: `evt_${familyId}-6-1` }));
    // A rebuild makes no row that has no event.
    for (const table of ['events', 'event_retentions'])
      await database.query(`DELETE FROM ${table} WHERE family_id = $1`, [familyId]);
  });

  it('is in the inbox under its service, and follows its push', async () => {
    const account = newAccount();
    const { eventId } = await received(account);
    const after = await reported(account, eventId, 2);
    const { items } = (await bus.ask(Inbox.list, {}, contextOf(account, after))).value;
    expect(items).toMatchObject([
      {
        id: `event:${eventId}`,
        origin: 'event',
        projectId: `svc_of_${account}`,
        projectName: 'CI',
        sourceName: 'CI',
        sourceImageUrl: 'https://ci.test/logo.png',
        title: 'Build',
        preview: 'main is green',
        bodyFormat: 'markdown',
        readAt: null,
      },
    ]);
    const detail = (await bus.ask(Inbox.get, { id: `event:${eventId}` }, contextOf(account, after))).value;
    expect(detail).toMatchObject({ body: 'main is **green**', summary: null, status: 'delivered' });
    expect(detail.pushReceipts).toHaveLength(2);
  });

  it('is marked read as a notification is', async () => {
    const account = newAccount();
    const first = await received(account);
    const second = await received(account);
    const read = await bus.ask(
      Inbox.read,
      { id: `event:${first.eventId}` },
      contextOf(account, second.position),
    );
    const twice = await bus.ask(
      Inbox.read,
      { id: `event:${first.eventId}` },
      contextOf(account, read.position),
    );
    expect(twice.value).toEqual({ ...read.value, idempotent: true });
    const { projects } = (await bus.ask(Inbox.projects, {}, contextOf(account, read.position))).value;
    expect(projects).toMatchObject([
      { projectId: `svc_of_${account}`, name: 'CI', unreadCount: 1, totalCount: 2 },
    ]);
  });

  it('that a limit dropped is listed, and is nowhere else', async () => {
    const account = newAccount();
    const { eventId, position } = await received(account, { limitedBy: 'account', deviceIds: [] });
    expect((await events(account, {}, position)).items).toMatchObject([
      { id: eventId, status: 'limited', error: 'account_rate_limited', deliveredCount: 0 },
    ]);
    expect((await bus.ask(Inbox.list, {}, contextOf(account, position))).value.items).toEqual([]);
    expect((await bus.ask(Inbox.projects, {}, contextOf(account, position))).value.projects).toEqual([]);
    expect(await feed(account, {}, position)).toMatchObject({ items: [], total: 0 });
  });

  it('without a device says so', async () => {
    const account = newAccount();
    const { position } = await received(account, { deviceIds: [] });
    expect((await events(account, {}, position)).items).toMatchObject([{ status: 'no_devices' }]);
  });

  it('is listed for 90 days', async () => {
    const account = newAccount();
    const day = 86_400_000;
    await received(account, { receivedAt: instant(clock.ms() - 90 * day - 1_000) });
    const { eventId, position } = await received(account, {
      receivedAt: instant(clock.ms() - 90 * day + 60_000),
    });
    const listed = await events(account, { from: instant(clock.ms() - 3_650 * day) }, position);
    expect(listed.items.map(({ id }) => id)).toEqual([eventId]);
  });

  it('is found by service, status and time', async () => {
    const account = newAccount();
    const ids: string[] = [];
    let after = '';
    for (let n = 0; n < 6; n += 1) {
      const { eventId, position } = await received(account, {
        serviceId: n % 2 ? 'svc_odd' : 'svc_even',
        ...(n === 3 && { limitedBy: 'service' as const, deviceIds: [] }),
      });
      ids.unshift(eventId);
      after = position;
    }
    const found = async (input: object) => (await events(account, input, after)).items.map(({ id }) => id);
    const all = (await events(account, {}, after)).items;
    expect(all.map(({ id }) => id)).toEqual(ids);
    expect(await found({ serviceId: 'svc_odd' })).toEqual([ids[0], ids[2], ids[4]]);
    expect(await found({ status: 'limited' })).toEqual([ids[2]]);
    expect(await found({ from: all[2]?.createdAt, to: all[0]?.createdAt })).toEqual([ids[1], ids[2]]);
    expect(await found({ from: all[0]?.createdAt, to: all[2]?.createdAt })).toEqual([]);
    expect(await found({ serviceId: 'svc_of_nobody' })).toEqual([]);
  });

  it('comes in pages that neither repeat nor leave out any', async () => {
    const account = newAccount();
    const at = nextMoment();
    let after = '';
    for (let n = 0; n < 7; n += 1) after = (await received(account, { receivedAt: at })).position;
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof events>> = await events(
        account,
        { limit: 3, ...(cursor && { cursor }) },
        after,
      );
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toHaveLength(7);
    expect(new Set(seen).size).toBe(7);
    const whole = await events(account, { limit: 7 }, after);
    expect(whole.nextCursor).toBeNull();

    const { nextCursor } = await events(account, { limit: 3 });
    for (const [who, input] of [
      [account, { cursor: `${nextCursor?.slice(0, -2)}AA` }],
      [account, { cursor: nextCursor, status: 'limited' }],
      [newAccount(), { cursor: nextCursor }],
    ] as const)
      await expect(events(who, { limit: 3, ...input })).rejects.toMatchObject({
        reason: 'list.invalid_cursor',
      });
  });

  it('takes the new name of its service into the inbox', async () => {
    const account = newAccount();
    await received(account);
    const renamed: ServiceChanged = {
      type: 'ServiceChanged',
      serviceId: `svc_of_${account}`,
      accountId: account,
      title: 'Builds',
      changedAt: nextMoment(),
    };
    const after = await append('service', `of_${account}`, account, renamed);
    const { projects } = (await bus.ask(Inbox.projects, {}, contextOf(account, after))).value;
    expect(projects).toMatchObject([{ name: 'Builds', totalCount: 1 }]);
  });
});

describe('the feed', () => {
  it('has twenty a page, newest first, both kinds merged, and an exact total', async () => {
    const account = newAccount();
    let after = '';
    const titles: string[] = [];
    for (let n = 0; n < 45; n += 1) {
      const title = `n${n}`;
      titles.unshift(title);
      after = n % 2 ? await sent(account, title) : (await received(account, { title })).position;
    }
    const pages = [];
    for (const page of [1, 2, 3, 4, 5000]) pages.push(await feed(account, { page }, after));
    expect(pages.map(({ items }) => items.length)).toEqual([20, 20, 5, 0, 0]);
    expect(pages.map(({ page, pageSize, total }) => [page, pageSize, total])).toEqual(
      [1, 2, 3, 4, 5000].map((page) => [page, 20, 45]),
    );
    expect(pages.flatMap(({ items }) => items.map(({ title }) => title))).toEqual(titles);
    expect(pages[0]?.items[0]).toEqual({
      id: expect.stringMatching(/^fed_[0-9a-z]{26}$/),
      kind: 'notification',
      sourceName: 'CI',
      sourceImageUrl: 'https://ci.test/logo.png',
      title: 'n44',
      detail: 'main is green',
      url: 'https://ci.test',
      result: null,
      createdAt: expect.any(String),
    });
    expect(await feed(account, { kind: 'notification', page: 3 })).toEqual(pages[2]);
    expect(await feed(account, { kind: 'response' })).toMatchObject({ items: [], total: 0 });
  });

  it('is in the order of its times, also where the log is not', async () => {
    const account = newAccount();
    const moments = Array.from({ length: 25 }, nextMoment);
    let after = '';
    for (let n = 0; n < moments.length; n += 1) {
      const at = moments[(n * 7) % moments.length] as string;
      if (n % 3) after = await sent(account, at, at);
      else after = (await received(account, { title: at, receivedAt: at })).position;
    }
    const pages = [];
    for (const page of [1, 2]) pages.push(await feed(account, { page }, after));
    expect(pages.flatMap(({ items }) => items.map(({ title }) => title))).toEqual([...moments].reverse());
    expect(pages.map(({ total }) => total)).toEqual([25, 25]);
  });

  it('of an account where nothing happened is empty', async () =>
    expect(await feed(newAccount())).toEqual({ items: [], page: 1, pageSize: 20, total: 0 }));
});

describe('the rows', () => {
  it.each(['events', 'feed', 'inbox'])(
    'of %s rebuilt from the log are equal to what they were',
    async (name) => {
      const database = service.get(Database);
      const tables = {
        events: ['events'],
        feed: ['feed_items', 'feed_totals'],
        inbox: ['inbox_items', 'inbox_projects', 'inbox_marks'],
      }[name] as string[];
      const rows = () =>
        Promise.all(tables.map((table) => database.query(`SELECT * FROM ${table} t ORDER BY t::text`)));
      const projections = service.get(Projections);
      await rowsReach(projections, name, await log.store.head());
      const before = await rows();
      expect(before[0]?.length).toBeGreaterThan(20);
      await projections.rebuild(name);
      expect(await rows()).toEqual(before);
    },
  );
});

it('the list of events has indexes in its order', async () => {
  expect(await indexesOf(service.get(Database), 'events')).toEqual(
    expect.arrayContaining([
      `(account_id, ${eventOrder.index})`,
      `(account_id, service_id, ${eventOrder.index})`,
      `(account_id, status, ${eventOrder.index})`,
    ]),
  );
});
