import {
  AccountChanges,
  ActivityFeed,
  Inbox,
  type InteractionAsked,
  type InteractionEnded,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { type DomainEvent, instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import {
  contextOf,
  eventually,
  interactionAsked,
  newAccount,
  notificationSent,
  pushReported,
  rowsReach,
} from '@carillon/testkit';
import { append, begin, bus, clock, end, service } from '../testbed';

beforeAll(() => begin({ keepDays: 0 }), 60_000);
afterAll(end, 60_000);

let moment = 0;
const nextMoment = () => instant((moment = Math.max(clock.ms(), moment + 1)));

const question = (accountId: string, more: Partial<InteractionAsked> = {}): InteractionAsked =>
  interactionAsked({
    interactionId: newId('int', clock.ms()),
    accountId,
    kind: 'reply',
    title: 'When?',
    prompt: 'When shall we deploy?',
    choices: [],
    url: 'https://ci.test/1',
    sourceImageUrl: 'https://ci.test/logo.png',
    askedAt: nextMoment(),
    ...more,
  });
type How = 'replied' | 'approved' | 'canceled' | 'expired';
function endOf(asked: InteractionAsked, how: How): InteractionEnded {
  const { interactionId, accountId, presentation } = asked;
  const ending = { interactionId, accountId, presentation, liveActivityId: null, webhookIds: [] };
  const at = nextMoment();
  if (how === 'canceled') return { ...ending, type: 'InteractionCanceled', canceledAt: at };
  if (how === 'expired') return { ...ending, type: 'InteractionExpired', expiredAt: at };
  return {
    ...ending,
    type: 'InteractionAnswered',
    status: how,
    response: 'on Monday, secretly',
    respondingUserId: accountId,
    respondingDeviceId: null,
    answeredAt: at,
  };
}
const write = ({ interactionId, accountId }: InteractionAsked, ...events: DomainEvent[]) =>
  append('interaction', streamTail(interactionId), accountId, ...events);
const feed = async (accountId: string, input: object = {}, after?: string) =>
  (await bus.ask(ActivityFeed.read, input, contextOf(accountId, after))).value;
const projects = async (accountId: string, after?: string) =>
  (await bus.ask(Inbox.projects, {}, contextOf(accountId, after))).value.projects;
const since = async (accountId: string, after?: string) =>
  (await bus.ask(AccountChanges.since, after === undefined ? {} : { after }, contextOf(accountId))).value;

describe('the feed', () => {
  it('shows a prompt when it has ended, as its response, and not before', async () => {
    const account = newAccount();
    const asked = question(account);
    const open = await write(asked, asked);
    expect(await feed(account, {}, open)).toMatchObject({ items: [], total: 0 });
    const ended = endOf(asked, 'replied');
    const after = await write(asked, ended);
    const page = await feed(account, {}, after);
    expect(page).toEqual({
      items: [
        {
          id: expect.stringMatching(/^fed_[0-9a-z]{26}$/),
          kind: 'response',
          sourceName: 'CI',
          sourceImageUrl: 'https://ci.test/logo.png',
          title: 'When?',
          detail: 'When shall we deploy?',
          url: 'https://ci.test/1',
          result: 'replied',
          createdAt: ended.type === 'InteractionAnswered' && ended.answeredAt,
        },
      ],
      page: 1,
      pageSize: 20,
      total: 1,
    });
    expect(await feed(account, { kind: 'response' })).toEqual(page);
    expect(await feed(account, { kind: 'notification' })).toMatchObject({ items: [], total: 0 });
    expect(await feed(newAccount())).toMatchObject({ total: 0 });
  });

  it('shows every way in which prompts end, newest end first', async () => {
    const account = newAccount();
    const asked = (['approved', 'replied', 'canceled', 'expired'] as const).map((how) => ({
      how,
      asked: question(account, { title: how }),
    }));
    let after = '';
    for (const each of asked) after = await write(each.asked, each.asked);
    for (const each of asked) after = await write(each.asked, endOf(each.asked, each.how));
    const { items, total } = await feed(account, {}, after);
    expect(items.map(({ title, result }) => [title, result])).toEqual(
      ['expired', 'canceled', 'replied', 'approved'].map((how) => [how, how]),
    );
    expect(total).toBe(4);
    expect(
      await service.get(Database).query(`SELECT 1 FROM feed_prompts WHERE account_id = $1`, [account]),
    ).toEqual([]);
  });

  it('shows a prompt that was asked and answered in one breath, and cuts what it asked', async () => {
    const account = newAccount();
    const asked = question(account, { prompt: '🔔'.repeat(4000), presentation: 'live_activity' });
    const after = await write(asked, asked, endOf(asked, 'approved'));
    const { items } = await feed(account, {}, after);
    expect(items).toHaveLength(1);
    expect([...(items[0]?.detail ?? '')]).toHaveLength(200);
  });
});

describe('lines that come very late', () => {
  it('were one statement over all younger lines: they move to their places in steps', async () => {
    const account = newAccount();
    // The clock of the machine that sent them was behind.
    const lateAt = clock.ms() - 60_000;
    const write = (id: string, count: number, atMs: (n: number) => number) =>
      append(
        'notification',
        id,
        account,
        ...Array.from({ length: count }, (_, n) =>
          notificationSent({
            notificationId: newId('anot', clock.ms()),
            accountId: account,
            sentAt: instant(atMs(n)),
          }),
        ),
      );
    const early = await write(newId('anot', clock.ms()), 3, (n) => lateAt - 1_000 + n * 2_000);
    for (let n = 0; n < 4; n += 1) {
      await write(newId('anot', clock.ms()), 400, () => Number(new Date(nextMoment())));
      const asked = question(account);
      await append('interaction', streamTail(asked.interactionId), account, asked, endOf(asked, 'approved'));
    }
    // More of them than are moved together, the newest first.
    const after = await write(newId('anot', clock.ms()), 300, (n) => lateAt + 600 - n);
    await rowsReach(service.get(Projections), 'feed', after);
    expect(BigInt(early)).toBeLessThan(BigInt(after));
    const database = service.get(Database);
    const lines = () =>
      database.query<{ by_age: string; rank: string; of_kind: string; kind_rank: string }>(
        `SELECT row_number() OVER (ORDER BY created_at, feed_id) AS by_age, rank,
           row_number() OVER (PARTITION BY kind ORDER BY created_at, feed_id) AS of_kind, kind_rank
         FROM feed_items WHERE account_id = $1`,
        [account],
      );
    const { items, total } = await feed(account, {}, after);
    expect([items.length, total]).toEqual([20, 1_907]);
    const isOrdered = async () =>
      (await lines()).every((line) => line.by_age === line.rank && line.of_kind === line.kind_rank) ||
      undefined;
    await eventually(isOrdered, () => 'the lines are not in order');
    expect(await lines()).toHaveLength(1_907);
    const late = () => database.query(`SELECT FROM feed_items WHERE late`);
    await eventually(
      async () => ((await late()).length === 0 ? true : undefined),
      () => 'lines are late',
    );
    expect(await isOrdered()).toBe(true);
  }, 60_000);
});

describe('the inbox', () => {
  it('has no prompts, but calls their projects as they do', async () => {
    const account = newAccount();
    const named = question(account, { projectId: 'web', projectName: 'Web shop' });
    const after = await write(named, named);
    expect(await projects(account, after)).toEqual([
      {
        projectId: 'web',
        name: 'Web shop',
        unreadCount: 0,
        totalCount: 0,
        latestTitle: null,
        latestPreview: null,
        latestImageUrl: null,
        latestAt: null,
      },
    ]);
    expect((await bus.ask(Inbox.list, {}, contextOf(account, after))).value.items).toEqual([]);

    const unnamed = question(account, { projectId: 'web' });
    expect(await projects(account, await write(unnamed, unnamed))).toMatchObject([{ name: 'Web shop' }]);
    const renamed = question(account, { projectId: 'web', projectName: 'Shop' });
    expect(await projects(account, await write(renamed, renamed))).toMatchObject([{ name: 'Shop' }]);
    const other = question(account, { projectId: 'api' });
    expect(await projects(account, await write(other, other))).toMatchObject([
      { name: 'api' },
      { name: 'Shop' },
    ]);
    const without = question(account);
    expect(await projects(account, await write(without, without))).toHaveLength(2);
  });

  it('counts what comes into a project that a prompt has named', async () => {
    const account = newAccount();
    const asked = question(account, { projectId: 'web', projectName: 'Web shop' });
    await write(asked, asked);
    const notificationId = newId('anot', clock.ms());
    const sent = notificationSent({
      notificationId,
      accountId: account,
      projectId: 'web',
      deviceIds: [],
      sentAt: nextMoment(),
    });
    const after = await append('notification', streamTail(notificationId), account, sent);
    expect(await projects(account, after)).toMatchObject([
      {
        name: 'Web shop',
        unreadCount: 1,
        totalCount: 1,
        latestTitle: 'Build finished',
        latestAt: sent.sentAt,
      },
    ]);
  });
});

describe('recipients that did not answer', () => {
  it('is told of prompts by id and never by text, each change once', async () => {
    const account = newAccount();
    const { position: start } = await since(account);
    const told: object[] = [];
    let after = '';
    for (const how of ['replied', 'canceled', 'expired'] as const) {
      const asked = question(account, { title: 'a secret title' });
      const { interactionId: promptId } = asked;
      const created = await write(asked, asked);
      const ended = endOf(asked, how);
      after = await write(asked, ended);
      told.push(
        { topic: 'prompts', kind: 'created', promptId, at: asked.askedAt, position: created },
        {
          topic: 'prompts',
          kind: how === 'replied' ? 'answered' : how,
          promptId,
          at: expect.any(String),
          position: after,
        },
      );
      const reported = pushReported({
        subjectId: promptId,
        accountId: account,
        reportedAt: nextMoment(),
      });
      after = await append('delivery', promptId, account, reported);
    }
    await rowsReach(service.get(Projections), 'changes', after);
    const { changes, reset } = await since(account, start);
    expect(reset).toBe(false);
    expect(changes).toEqual(told);
    expect(JSON.stringify(changes)).not.toContain('secret');
    expect((await since(newAccount(), start)).changes).toEqual([]);
  });
});

describe('the rows', () => {
  it.each([
    ['feed', ['feed_items', 'feed_totals', 'feed_prompts']],
    ['inbox', ['inbox_items', 'inbox_projects']],
    ['changes', ['changes']],
  ])('of %s rebuilt from the log are equal to what they were', async (name, tables) => {
    const account = newAccount();
    const open = question(account, { projectId: 'open' });
    await rowsReach(service.get(Projections), name, await write(open, open));
    const database = service.get(Database);
    const rows = () =>
      Promise.all(tables.map((table) => database.query(`SELECT * FROM ${table} t ORDER BY t::text`)));
    const before = await rows();
    for (const each of before) expect(each.length).toBeGreaterThan(0);
    await service.get(Projections).rebuild(name);
    expect(await rows()).toEqual(before);
  });
});
