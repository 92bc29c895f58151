import { ActivityFeed, Events } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import { contextOf, eventReceived, interactionAsked, newAccount, notificationSent } from '@carillon/testkit';
import { append, begin, bus, clock, end, service } from './testbed';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

const dayMs = 24 * 60 * 60 * 1000;
let moment = 0;
const nextMs = () => (moment = Math.max(clock.ms(), moment + 1));

const query = <T>(text: string, parameters: unknown[] = []) =>
  service.get(Database).query<T>(text, parameters);
const days = (count: number) => clock.advance(count * dayMs);

async function received(accountId: string, title: string): Promise<string> {
  const atMs = nextMs();
  const eventId = newId('evt', atMs);
  const event = eventReceived({ eventId, accountId, title, deviceIds: [], receivedAt: instant(atMs) });
  return append('event', streamTail(eventId), accountId, event);
}

async function sent(accountId: string, title: string, atMs = nextMs()): Promise<string> {
  const notificationId = newId('anot', atMs);
  const event = notificationSent({ notificationId, accountId, title, deviceIds: [], sentAt: instant(atMs) });
  return append('notification', streamTail(notificationId), accountId, event);
}

async function canceled(accountId: string, title: string): Promise<string> {
  const asked = interactionAsked({
    interactionId: newId('int', clock.ms()),
    accountId,
    title,
    askedAt: instant(nextMs()),
  });
  const { interactionId, presentation } = asked;
  return append('interaction', streamTail(interactionId), accountId, asked, {
    type: 'InteractionCanceled',
    interactionId,
    accountId,
    presentation,
    liveActivityId: null,
    webhookIds: [],
    canceledAt: instant(nextMs()),
  } as Parameters<typeof append>[3]);
}

const events = async (accountId: string, input: object = {}, after?: string) =>
  (await bus.ask(Events.list, input, contextOf(accountId, after))).value;
const feed = async (accountId: string, input: object = {}, after?: string) =>
  (await bus.ask(ActivityFeed.read, input, contextOf(accountId, after))).value;
const titles = ({ items }: { items: readonly { title: string | null }[] }) => items.map(({ title }) => title);

/** All that an account sees of its events and its feed. */
async function seen(accountId: string, after?: string) {
  const pages = (kind?: string) =>
    Promise.all([1, 2, 3].map((page) => feed(accountId, { page, ...(kind && { kind }) }, after)));
  return {
    events: await events(accountId, { limit: 100 }, after),
    feed: [await pages(), await pages('notification'), await pages('response')],
  };
}

const rowsOf = async (accountId: string): Promise<unknown> =>
  Promise.all(
    ['events', 'feed_items'].map(
      async (table) => (await query(`SELECT FROM ${table} WHERE account_id = $1`, [accountId])).length,
    ),
  );

it('events and lines of the feed leave the lists after 90 days, then the tables, and a rebuild shows the same', async () => {
  const [account, other] = [newAccount(), newAccount()];
  await sent(other, 'other old');
  for (let n = 0; n < 12; n += 1) await received(account, `old ${n}`);
  let after = await canceled(account, 'old question');
  expect(await feed(account, {}, after)).toMatchObject({ total: 13 });

  await days(50);
  for (let n = 0; n < 19; n += 1) await received(account, `new ${n}`);
  await canceled(account, 'new question');
  after = await sent(account, 'new 19');
  await sent(other, 'other new');
  const { items: before } = await feed(account, { page: 2 }, after);
  expect(titles({ items: before })).toEqual([
    'new 0',
    'old question',
    ...[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `old ${n}`),
  ]);

  await days(39.9);
  expect(await feed(account)).toMatchObject({ total: 34 });
  expect((await events(account, { limit: 100 })).items).toHaveLength(31);

  await days(0.2);
  expect(await feed(account)).toMatchObject({ total: 21 });
  expect(titles(await feed(account, { page: 2 }))).toEqual(['new 0']);
  expect(titles(await feed(account, { page: 3 }))).toEqual([]);
  expect(titles(await feed(account, { kind: 'response' }))).toEqual(['new question']);
  expect(await feed(account, { kind: 'notification' })).toMatchObject({ total: 20 });
  expect((await events(account, { limit: 100 })).items).toHaveLength(19);

  // A partition of events is 15 days wide. What comes late still gets its place.
  await days(15);
  expect(await rowsOf(account)).toEqual([19, 21]);
  after = await sent(account, 'late', clock.ms() - 60 * dayMs);
  expect(titles(await feed(account, { page: 2 }, after))).toEqual(['new 0', 'late']);
  after = await sent(account, 'too late', clock.ms() - 100 * dayMs);
  expect(await feed(account, {}, after)).toMatchObject({ total: 22 });
  const live = { account: await seen(account, after), other: await seen(other, after) };
  expect(titles(live.other.feed[0]![0]!)).toEqual(['other new']);

  for (const name of ['events', 'feed', 'changes']) await service.get(Projections).rebuild(name);
  expect({ account: await seen(account), other: await seen(other) }).toEqual(live);
  expect(await rowsOf(account)).toEqual([19, 22]);
  expect(titles(await feed(account, {}, await sent(account, 'newest')))[0]).toBe('newest');

  await days(106);
  expect(await feed(account)).toEqual({ items: [], page: 1, pageSize: 20, total: 0 });
  expect(await events(account)).toMatchObject({ items: [] });
  expect(await rowsOf(account)).toEqual([0, 0]);
  expect(titles(await feed(account, {}, await sent(account, 'first again')))).toEqual(['first again']);
});

it('a cursor into events that are gone ends the list', async () => {
  const account = newAccount();
  let after = '';
  for (let n = 0; n < 5; n += 1) after = await received(account, `e${n}`);
  const first = await events(account, { limit: 2 }, after);
  expect(titles(first)).toEqual(['e4', 'e3']);
  await days(90.1);
  const cursor = first.nextCursor;
  expect(await events(account, { limit: 2, cursor })).toMatchObject({ items: [], nextCursor: null });
  await days(15);
  expect(await events(account, { limit: 2, cursor })).toMatchObject({ items: [], nextCursor: null });
});

it('partitions that a killed process had detached are dropped, and new rows have partitions', async () => {
  const [first] = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relname LIKE 'events_from_%' AND relnamespace = 'read_models'::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  await query(`ALTER TABLE events DETACH PARTITION ${first!.name}`);
  await days(0);
  expect(await query(`SELECT FROM pg_class WHERE relname = $1`, [first!.name])).toEqual([]);
  await days(366);
  await received(newAccount(), 'later');
  for (const table of ['events', 'changes']) expect(await query(`SELECT FROM ${table}_rest`)).toEqual([]);
});
