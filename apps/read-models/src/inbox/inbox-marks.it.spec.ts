import type { Answer } from '@carillon/bus';
import {
  type Contract,
  Inbox,
  type InboxPage,
  type ListInbox,
  type NotificationSent,
} from '@carillon/contracts';
import { Database, Projections, type Sql } from '@carillon/event-store';
import {
  compareInstants,
  compareTexts,
  type DomainEvent,
  type Instant,
  instant,
  isBefore,
  plus,
} from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import { contextOf, notificationSent, type PlanNode, readsOf, rowsReach } from '@carillon/testkit';
import fc from 'fast-check';
import { append, begin, bus, clock, end, log, service } from '../testbed';
import { inboxTables } from './deleted-inboxes.worker';
import { deleteItems } from './expired.entity';
import { listed } from './listed.entity';
import { itemOrder, itemsWithMarks, isUnread, readTime, unreadCount } from './read-state';
import { nextMarking } from './read-through.entity';

beforeAll(() => begin({ keepDays }), 60_000);
afterAll(end, 60_000);

/** What a person knows of an item. */
interface Known {
  readonly id: string;
  readonly projectId: string | null;
  readonly at: Instant;
  readonly sender: string;
  title: string;
  readAt: Instant | null;
}

type Filter = Pick<ListInbox, 'projectId' | 'unread' | 'q'>;

const projectIds = [null, 'web', 'shop'];
const words = ['red', 'blue'];
const keepDays = 8;
const hourMs = 60 * 60 * 1_000;
/** Half an hour from the times at which items expire, so that it does not matter how long a test takes. */
const beginning = Date.now() - keepDays * 24 * hourMs + hourMs / 2;
const hour = (n: number): Instant => instant(beginning + n * hourMs);

/** How many hours the clock was moved: what is from an earlier hour is past its time. */
let passed = 0;
/** The hour up to which slices have deleted items, which may be before their time. */
let slicedTo = 0;
const people: Person[] = [];

/** Moves the clock, upon which all expires that is past its time. */
async function pass(hours: number): Promise<void> {
  passed += hours;
  await clock.advance(hours * hourMs);
  for (const person of people) person.lose((item) => isBefore(item.at, hour(passed)));
}

/** Deletes the oldest items up to an hour, as a cleanup that is killed after its first slice. */
async function slice(hours: number, limit: number): Promise<void> {
  const before = hour(passed + hours);
  slicedTo = Math.max(slicedTo, passed + hours);
  const database = service.get(Database);
  await database.transaction((sql) => deleteItems(sql, before, limit));
  const rows = await database.query<{ item_id: string }>(
    `SELECT item_id FROM inbox_items WHERE account_id = ANY($1)`,
    [people.map(({ accountId }) => accountId)],
  );
  const left = new Set(rows.map((row) => row.item_id));
  const isLeft = ({ id }: Known): boolean => left.has(id);
  const [kept, lost] = [true, false].map((is) =>
    people.flatMap(({ items }) => items.filter((item) => isLeft(item) === is)).sort(byAge),
  );
  expect(lost!.length).toBeLessThanOrEqual(limit);
  for (const item of lost!) {
    expect(isBefore(item.at, before)).toBe(true);
    if (kept![0]) expect(byAge(item, kept![0])).toBeLessThan(0);
  }
  for (const person of people) person.lose((item) => !isLeft(item));
}

const byAge = (one: Known, other: Known): number =>
  compareInstants(one.at, other.at) || compareTexts(one.id, other.id);

const matches =
  ({ projectId, unread, q }: Filter) =>
  (item: Known): boolean =>
    (projectId === undefined || (item.projectId ?? 'none') === projectId) &&
    (unread === undefined || (item.readAt === null) === unread) &&
    (q === undefined || item.title.includes(q));

/** An inbox beside a model of it: a list of items, each with its own mark. */
class Person {
  readonly accountId = newId('usr', beginning);
  readonly items: Known[] = [];
  readonly lost: Known[] = [];
  private readonly born = passed;
  private received = 0;
  /** Sends to this person too, until it is forgotten. */
  private other = newId('usr', beginning);
  private readonly tokens: { readonly token: string; readonly covers: (item: Known) => boolean }[] = [];
  private after = '0';

  constructor(private readonly itemsPerHour = 1) {
    people.push(this);
  }

  lose(isLost: (item: Known) => boolean): void {
    for (const item of this.items.filter(isLost)) {
      this.items.splice(this.items.indexOf(item), 1);
      this.lost.push(item);
    }
  }

  /** `late` items before the time at which the newest items are. */
  async receive(count: number, { late = 0, project = 0, word = 0, isOwn = true } = {}): Promise<void> {
    const events = Array.from({ length: count }, (_, n): NotificationSent => {
      const index = Math.max(0, this.received + n - late);
      const ofHour = index % this.itemsPerHour;
      return notificationSent({
        notificationId: newId('anot', beginning),
        accountId: isOwn ? this.accountId : this.other,
        recipients: isOwn ? [] : [this.accountId],
        title: words[word] ?? '',
        projectId: projectIds[project] ?? null,
        deviceIds: [],
        sentAt: plus(hour(this.born + (index - ofHour) / this.itemsPerHour), ofHour),
      });
    });
    this.received += count;
    for (let from = 0; from < count; from += 500)
      await this.append(
        'notification',
        isOwn ? this.accountId : this.other,
        ...events.slice(from, from + 500),
      );
    for (const { notificationId, projectId, sentAt, accountId, title } of events)
      if (!isBefore(sentAt, hour(passed)))
        this.items.push({
          ...{ id: `notification:${notificationId}`, projectId, at: sentAt, sender: accountId },
          ...{ title: title ?? '', readAt: null },
        });
  }

  async withdraw(item: Known): Promise<void> {
    const withdrawnAt = plus(hour(1_000), this.items.length);
    await this.append('notification', item.sender, {
      ...{ type: 'NotificationWithdrawn', notificationId: item.id.slice('notification:'.length) },
      ...{ accountId: item.sender, status: 'withdrawn', accepted: 0, withdrawnAt },
    } as DomainEvent);
    item.readAt ??= withdrawnAt;
  }

  async forgetOther(): Promise<void> {
    const event = { type: 'AccountForgotten', accountId: this.other, forgottenAt: hour(0) } as DomainEvent;
    await this.append('account', this.other, event);
    for (const item of this.items) if (item.sender === this.other) item.title = '';
    this.other = newId('usr', beginning);
  }

  async read(item: Known): Promise<void> {
    const { value } = await this.ask(Inbox.read, { id: item.id });
    expect(value.idempotent ?? false).toBe(item.readAt !== null);
    item.readAt ??= value.readAt;
    expect(value.readAt).toBe(item.readAt);
  }

  async unread(item: Known): Promise<void> {
    const { value } = await this.ask(Inbox.unread, { id: item.id });
    expect(value).toEqual({ ok: true, readAt: null, ...(item.readAt === null && { idempotent: true }) });
    item.readAt = null;
  }

  async missesLost(item: Known): Promise<void> {
    for (const contract of [Inbox.get, Inbox.read, Inbox.unread])
      await expect(this.ask<{ id: string }, unknown>(contract, { id: item.id })).rejects.toMatchObject({
        reason: 'inbox_item.not_found',
      });
    await this.withdraw({ ...item });
  }

  /** Looks at a list and keeps its token. */
  async look(filter: Filter): Promise<void> {
    const { value } = await this.ask(Inbox.list, { ...filter, limit: 1 });
    const newest = this.found(filter)[0];
    const isIn = matches(filter);
    this.tokens.push({
      token: value.readThroughToken,
      covers: (item) =>
        isIn({ ...item, readAt: filter.unread ? null : item.readAt }) &&
        (newest === undefined || byAge(item, newest) <= 0) &&
        filter.unread !== false,
    });
  }

  async readAll(which: number): Promise<void> {
    const mark = this.tokens.at(-1 - (which % (this.tokens.length || 1)));
    if (!mark) return;
    const { value } = await this.ask(Inbox.readAll, { readThroughToken: mark.token });
    const marked = this.items.filter((item) => item.readAt === null && mark.covers(item));
    expect(value.updated).toBe(marked.length);
    for (const item of marked) item.readAt = value.readAt;
  }

  async hasCounts(): Promise<void> {
    const { value } = await this.ask(Inbox.projects, {});
    const count = (of: Filter) => this.items.filter(matches(of)).length;
    expect(value.totalUnread).toBe(count({ unread: true }));
    const counts = value.projects.map(({ projectId, unreadCount, totalCount }) => [
      projectId,
      unreadCount,
      totalCount,
    ]);
    const expected = [...new Set(this.items.map((item) => item.projectId))].map((projectId) => [
      projectId,
      count({ projectId: projectId ?? 'none', unread: true }),
      count({ projectId: projectId ?? 'none' }),
    ]);
    expect(counts.sort()).toEqual(expected.sort());
  }

  async hasList(filter: Filter, limit: number): Promise<void> {
    const seen: (readonly [string, Instant | null])[] = [];
    let cursor: string | null = null;
    do {
      const asked: ListInbox = { ...filter, limit, ...(cursor !== null && { cursor }) };
      const { value }: Answer<InboxPage> = await this.ask(Inbox.list, asked);
      seen.push(...value.items.map(({ id, readAt }) => [id, readAt] as const));
      cursor = value.nextCursor;
    } while (cursor !== null);
    expect([filter, ...seen]).toEqual([filter, ...this.found(filter).map(({ id, readAt }) => [id, readAt])]);
  }

  async hasLists(limit: number): Promise<void> {
    for (const projectId of [undefined, 'none', 'web'])
      for (const unread of [undefined, true, false])
        await this.hasList(
          { ...(projectId !== undefined && { projectId }), ...(unread !== undefined && { unread }) },
          limit,
        );
    await this.hasList({ q: 'red', unread: true }, limit);
  }

  private found(filter: Filter): readonly Known[] {
    return this.items.filter(matches(filter)).sort((one, other) => byAge(other, one));
  }

  private async append(category: string, owner: string, ...events: DomainEvent[]): Promise<void> {
    this.after = await append(category, streamTail(owner), owner, ...events);
    await rowsReach(service.get(Projections), 'inbox', this.after);
  }

  private async ask<Input, Output>(contract: Contract<Input, Output>, input: Input): Promise<Answer<Output>> {
    const answer = await bus.ask(contract, input, contextOf(this.accountId, this.after));
    if (answer.position !== undefined) this.after = answer.position;
    return answer;
  }
}

type Step = (person: Person) => Promise<void>;
const some = fc.nat({ max: 30 });
const itemOf = (person: Person, n: number) => person.items[n % (person.items.length || 1)];
const onItem = (verb: (person: Person, item: Known) => Promise<void>) =>
  some.map((n): Step => async (person) => {
    const item = itemOf(person, n);
    if (item) await verb(person, item);
  });
const filters = fc.record<Filter>(
  {
    projectId: fc.constantFrom('none', 'web'),
    unread: fc.constantFrom(true, true, false),
    q: fc.constant('red'),
  },
  { requiredKeys: [] },
);
const received = fc.record({
  late: fc.oneof(fc.constant(0), some),
  project: fc.nat({ max: 2 }),
  word: fc.nat({ max: 1 }),
  isOwn: fc.boolean(),
});
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: received.map(
        (how): Step =>
          (person) =>
            person.receive(1, how),
      ),
    },
    { weight: 2, arbitrary: onItem((person, item) => person.read(item)) },
    { weight: 3, arbitrary: onItem((person, item) => person.unread(item)) },
    {
      weight: 3,
      arbitrary: filters.map(
        (filter): Step =>
          (person) =>
            person.look(filter),
      ),
    },
    {
      weight: 4,
      arbitrary: some.map(
        (which): Step =>
          (person) =>
            person.readAll(which % 4),
      ),
    },
    { weight: 1, arbitrary: onItem((person, item) => person.withdraw(item)) },
    {
      weight: 1,
      arbitrary: fc.nat({ max: 3 }).map(
        (hours): Step =>
          () =>
            pass(hours),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.nat({ max: 5 }), fc.integer({ min: 1, max: 4 })).map(
        ([hours, limit]): Step =>
          () =>
            slice(hours, limit),
      ),
    },
    {
      weight: 1,
      arbitrary: some.map((n): Step => async (person) => {
        const item = person.lost[n % (person.lost.length || 1)];
        if (item) await person.missesLost(item);
      }),
    },
    { weight: 1, arbitrary: fc.constant<Step>((person) => person.forgetOther()) },
  ),
  { minLength: 15, maxLength: 40 },
);

const run = async (person: Person, all: readonly Step[]) => {
  for (const step of all) {
    await step(person);
    await person.hasCounts();
  }
};

/** What readers see of all rows, wherever a mark is stored. */
const shown = (): Promise<unknown[][]> =>
  Promise.all(
    [
      `SELECT i.*, ${readTime} AS read_at, ${isUnread} AS is_unread FROM ${itemsWithMarks}
       ORDER BY i.account_id, i.item_id`,
      `SELECT p.account_id, p.project_id, p.name, ${unreadCount} AS unread_count, p.total_count, p.latest_item_id,
         p.latest_at
       FROM inbox_projects p LEFT JOIN inbox_marks a USING (account_id) ORDER BY 1, 2`,
      `SELECT account_id, revision, through_at, through_id FROM inbox_marks ORDER BY 1`,
    ].map((text) => service.get(Database).query(text)),
  );

describe('read marks', () => {
  it(
    'give the lists and counts of single marks, whatever is marked in whatever order',
    () =>
      fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const person = new Person();
          await run(person, all);
          await person.hasLists(3);
        }),
        { numRuns: 15, endOnFailure: true },
      ),
    300_000,
  );

  it(
    'give them also where a mark covers more than counts are subtracted by',
    () =>
      fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const person = new Person(1_000);
          await person.receive(20, { project: 2 });
          await person.look({});
          await person.receive(5_100, { project: 1 });
          await person.look({ projectId: 'web' });
          await person.receive(20);
          await person.look({});
          await person.receive(3);
          await run(person, all);
          await person.look({});
          await person.readAll(0);
          await person.receive(1, { project: 2 });
          await person.hasCounts();
          await person.hasLists(100);
        }),
        { numRuns: 1 },
      ),
    300_000,
  );

  it('are the same after a rebuild from the log', async () => {
    await pass(Math.max(0, slicedTo - passed));
    // The others may have lost all their items by now.
    const person = new Person();
    await person.receive(3);
    await person.look({});
    await person.readAll(0);
    await person.receive(1);
    const before = await shown();
    for (const rows of before) expect(rows).not.toEqual([]);
    await service.get(Projections).rebuild('inbox');
    // The marks of many items that cover nothing any more.
    await clock.advance(0);
    expect(await shown()).toEqual(before);
    for (const each of people) {
      await each.hasCounts();
      await each.hasLists(50);
    }
  }, 300_000);
});

const second = (n: number): Instant => plus(hour(passed), n * 1_000);
/** Rows as many events leave them. */
const filled = async (count: number): Promise<string> => {
  const accountId = newId('usr', beginning);
  const database = service.get(Database);
  await database.transaction(async (sql) => {
    await sql.query(
      `INSERT INTO inbox_items (account_id, item_id, subject_id, origin, project_id, source_name, title, preview,
         body, body_format, status, receipts, created_at)
       SELECT $1, 'notification:anot_' || n, 'anot_' || n, 'notification', ($3::text[])[n % 3 + 1], 'CI', 'red',
         'main is green', 'main is green', 'text', 'delivered', '[]', $4::timestamptz + n * interval '1 second'
       FROM generate_series(1, $2::integer) n`,
      [accountId, count, projectIds.map((projectId) => projectId ?? ''), second(0)],
    );
    await sql.query(
      `INSERT INTO inbox_projects (account_id, project_id, name, unread_count, total_count)
       SELECT account_id, project_id, project_id, count(*), count(*) FROM inbox_items WHERE account_id = $1
       GROUP BY 1, 2`,
      [accountId],
    );
    for (const table of inboxTables) await sql.query(`ANALYZE ${table}`);
  });
  return accountId;
};
const ask = async <Input, Output>(accountId: string, contract: Contract<Input, Output>, input: Input) =>
  bus.ask(contract, input, { ...contextOf(accountId), deadline: Date.now() + 60_000 });
const readAll = async (accountId: string, filter: Filter) => {
  const { value } = await ask(accountId, Inbox.list, filter);
  const { readThroughToken } = value;
  const marked = await ask(accountId, Inbox.readAll, { readThroughToken });
  if (marked.position !== undefined) await rowsReach(service.get(Projections), 'inbox', marked.position);
  return marked.value.updated;
};

describe('an inbox with 200,000 unread items', () => {
  it('is read by as few written rows as one with ten, none of them an item', async () => {
    const database = service.get(Database);
    const writtenBy = async (count: number) => {
      const accountId = await filled(count);
      const before = new Map<string, readonly string[]>();
      for (const table of inboxTables) {
        const rows = await database.query<{ by: string }>(
          `SELECT DISTINCT xmin::text AS by FROM ${table} WHERE account_id = $1`,
          [accountId],
        );
        before.set(
          table,
          rows.map(({ by }) => by),
        );
      }
      expect(await readAll(accountId, {})).toBe(count);
      expect((await ask(accountId, Inbox.projects, {})).value.totalUnread).toBe(0);
      const written: Record<string, number> = {};
      for (const [table, known] of before) {
        const [row] = await database.query<{ count: number }>(
          `SELECT count(*)::integer AS count FROM ${table} WHERE account_id = $1 AND xmin::text <> ALL ($2)`,
          [accountId, known],
        );
        written[table] = row?.count ?? 0;
      }
      return written;
    };
    const rows = { inbox_items: 0, inbox_marks: 1, inbox_reads: 1, inbox_exceptions: 0 };
    expect(await writtenBy(10)).toEqual({ ...rows, inbox_projects: 3 });
    expect(await writtenBy(200_000)).toEqual({ ...rows, inbox_projects: 0 });
  }, 300_000);

  it('is listed and counted from indexes, also where most of it is read', async () => {
    const accountId = await filled(200_000);
    const database = service.get(Database);
    /** The rows of items, marks and exceptions that a statement reads, planned as one that was prepared long ago. */
    const rowsReadBy = async (sql: Sql, text: string, values: readonly unknown[]): Promise<number> => {
      await sql.query(`SET LOCAL plan_cache_mode = force_generic_plan`);
      await sql.query(`PREPARE explained AS ${text}`);
      const [explained] = await sql.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained (${values.map((value) => `'${String(value)}'`).join(', ')})`,
      );
      await sql.query(`DEALLOCATE explained`);
      return rowsOfPlan(explained!['QUERY PLAN'][0]!.Plan);
    };
    const isShort = async (filter: Filter): Promise<void> => {
      const half = { created_at: second(100_000), item_id: 'notification:anot_100000' };
      for (const key of [undefined, half]) {
        const { from, values } = listed(accountId, filter, 21, (first) => itemOrder.after(key, first));
        const rows = await database.transaction((sql) =>
          rowsReadBy(sql, `SELECT i.item_id, ${readTime} ${from}`, values),
        );
        expect(rows).toBeLessThan(2_000);
      }
    };
    const counted = async (projectId?: string): Promise<number> => {
      const rows: number[] = [];
      const through = { createdAt: second(200_000), id: '~' };
      const covering = { accountId, through, ...(projectId !== undefined && { projectId }) };
      await database.transaction((sql) => {
        const query: Sql['query'] = async (text, values = []) => {
          if (values.length > 0) rows.push(await rowsReadBy(sql, text, values));
          return sql.query(text, values);
        };
        return nextMarking({ query }, covering, second(0));
      });
      expect(rows.length).toBeGreaterThan(0);
      return Math.max(...rows);
    };
    const unread = { unread: true };
    for (const filter of [{}, unread, { ...unread, projectId: 'web' }]) await isShort(filter);
    expect(await counted('web')).toBeLessThan(12_000);
    expect(await counted()).toBeLessThan(12_000);

    await readAll(accountId, { projectId: 'web' });
    const { value } = await ask(accountId, Inbox.list, { projectId: 'web', limit: 30 });
    const unreadAgain = async (): Promise<void> => {
      for (const { id } of value.items) {
        const { position = '0' } = await ask(accountId, Inbox.unread, { id });
        await rowsReach(service.get(Projections), 'inbox', position);
      }
    };
    await unreadAgain();
    for (const filter of [{}, unread, { ...unread, projectId: 'web' }, { ...unread, projectId: 'none' }])
      await isShort(filter);
    expect(await counted('web')).toBeLessThan(2_000);

    await readAll(accountId, unread);
    await unreadAgain();
    for (const filter of [{}, unread]) await isShort(filter);
    expect(await counted()).toBeLessThan(2_000);
    expect((await ask(accountId, Inbox.projects, {})).value.totalUnread).toBe(30);
  }, 300_000);
});

describe('a mark that has many unread items on both sides, or many exceptions', () => {
  it('was one statement over all of them: it is made of several events, and counts are exact', async () => {
    const accountId = await filled(12_000);
    const database = service.get(Database);
    const events = async (): Promise<string[]> =>
      (await log.store.read(`inbox-${accountId}`)).map(({ type }) => type);
    const unread = async () => (await ask(accountId, Inbox.projects, {})).value.totalUnread;
    const { readThroughToken } = (await ask(accountId, Inbox.list, {})).value;
    // Newer ones, which the token does not cover.
    await database.query(
      `INSERT INTO inbox_items SELECT (jsonb_populate_record(i, jsonb_build_object('item_id', i.item_id || '-newer',
         'created_at', i.created_at + interval '12000 seconds'))).* FROM inbox_items i
       WHERE account_id = $1 AND project_id = 'web'
       ORDER BY created_at LIMIT 4000`,
      [accountId],
    );
    await database.query(
      `INSERT INTO inbox_items SELECT (jsonb_populate_record(i, jsonb_build_object('item_id', i.item_id || '-newer',
         'created_at', i.created_at + interval '12000 seconds'))).* FROM inbox_items i
       WHERE account_id = $1 AND project_id = 'shop'
       ORDER BY created_at LIMIT 2000`,
      [accountId],
    );
    await database.query(
      `UPDATE inbox_projects p SET unread_count = n, total_count = n FROM (
         SELECT project_id, count(*) AS n FROM inbox_items WHERE account_id = $1 GROUP BY 1) c
       WHERE account_id = $1 AND c.project_id = p.project_id`,
      [accountId],
    );
    expect(await unread()).toBe(18_000);
    const { value, position } = await ask(accountId, Inbox.readAll, { readThroughToken });
    await rowsReach(service.get(Projections), 'inbox', position!);
    expect(value.updated).toBe(12_000);
    expect(await unread()).toBe(6_000);
    expect(await events()).toEqual(Array.from({ length: 3 }, () => 'InboxReadThrough'));

    expect(await readAll(accountId, {})).toBe(6_000);
    expect(await unread()).toBe(0);
    await database.query(
      `INSERT INTO inbox_exceptions (account_id, item_id, project_id, created_at)
       SELECT account_id, item_id, project_id, created_at FROM inbox_items WHERE account_id = $1
       ORDER BY created_at LIMIT 5600`,
      [accountId],
    );
    await database.query(
      `UPDATE inbox_projects p SET unread_count = n, counted_revision = 1000 FROM (
         SELECT project_id, count(*) AS n FROM inbox_exceptions WHERE account_id = $1 GROUP BY 1) c
       WHERE account_id = $1 AND c.project_id = p.project_id`,
      [accountId],
    );
    expect(await unread()).toBe(5_600);
    expect(await readAll(accountId, {})).toBe(5_600);
    expect(await unread()).toBe(0);
    const named = Array.from({ length: 10 }, () => 'InboxItemsRead');
    expect((await events()).slice(4)).toEqual([...named, 'InboxReadThrough']);
  }, 120_000);
});

/** The rows of items, marks and exceptions that a plan's scans looked at. */
const rowsOfPlan = (plan: PlanNode): number =>
  readsOf(plan)
    .filter(({ table }) => table.startsWith('inbox_'))
    .reduce((sum, { rows }) => sum + rows, 0);
