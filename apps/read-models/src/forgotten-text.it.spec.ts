import { ActivityFeed, Events, Inbox } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import type { DomainEvent } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import { contextOf, eventually, interactionAsked, newAccount, notificationSent } from '@carillon/testkit';
import pg from 'pg';
import { append, begin, bus, clock, end, restart, service } from './testbed';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

const query = <T>(sql: string, parameters: unknown[]): Promise<T[]> =>
  service.get(Database).query<T>(sql, parameters);

const forget = (accountId: string): Promise<string> =>
  append('account', streamTail(accountId), accountId, {
    type: 'AccountForgotten',
    accountId,
    forgottenAt: clock.now(),
  } as DomainEvent);

/** How many rows without text each transaction has written. */
const cleared = async (table: string, senderId: string): Promise<number[]> =>
  (
    await query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE sender_id = $1 AND coalesce(title, '') = '' GROUP BY xmin::text
       ORDER BY n DESC`,
      [senderId],
    )
  ).map(({ n }) => n);

const notQueued = (accountId: string): Promise<true> =>
  eventually(
    async () =>
      (await query(`SELECT FROM timers WHERE key = $1`, [accountId])).length === 0 ? true : undefined,
    () => 'the account is queued',
    20_000,
  );

describe('the text of a deleted account', () => {
  it('is cleared, but not that of another at the same place of another partition', async () => {
    const [forgotten, other] = [newAccount(), newAccount()];
    for (const [account, days] of [
      [forgotten, 40],
      [other, 70],
    ] as const)
      await query(
        `INSERT INTO events (event_id, account_id, service_id, service_title, title, body, status, created_at)
         VALUES ($1, $1, 'svc', 'Secret', 'Secret', 'Secret', 'accepted', $2)`,
        [account, new Date(clock.ms() - days * 86_400_000)],
      );
    const rows = () =>
      query(`SELECT title, ctid FROM events WHERE account_id = ANY($1) ORDER BY created_at`, [
        [forgotten, other],
      ]);
    expect(await rows()).toEqual(Array(2).fill({ title: 'Secret', ctid: '(0,1)' }));
    await forget(forgotten);
    await eventually(
      async () => ((await rows())[1] as { title: string | null }).title === null || undefined,
      () => 'the text is there',
    );
    expect(await rows()).toMatchObject([{ title: 'Secret' }, { title: null }]);
  });

  it('is hidden in the lists of others at once, and cleared 5,000 rows a transaction', async () => {
    const [sender, reader] = [newAccount(), newAccount()];
    await query(
      `INSERT INTO events (event_id, account_id, sender_id, service_id, service_title, title, body, status, created_at)
       SELECT 'evt_' || n, CASE WHEN n <= 20 THEN $2 ELSE 'usr_' || n END, $1, 'svc', 'Secret', 'Secret', 'Secret',
         'accepted', $3::timestamptz
       FROM generate_series(1, 12000) n`,
      [sender, reader, clock.now()],
    );
    await query(
      `INSERT INTO feed_items (account_id, sender_id, created_at, feed_id, rank, kind, kind_rank, source_name, title,
         detail)
       SELECT CASE WHEN n <= 20 THEN $2 ELSE 'usr_' || n END, $1, $3::timestamptz, 'fed_' || n, n, 'notification', n,
         'Secret', 'Secret', 'Secret'
       FROM generate_series(1, 12000) n`,
      [sender, reader, clock.now()],
    );
    await query(`INSERT INTO feed_totals VALUES ($1, 'notification', 20, now())`, [reader]);
    await query(
      `INSERT INTO inbox_items (account_id, sender_id, item_id, subject_id, origin, project_id, source_name, title,
         preview, body, summary, body_format, url, image_url, created_at)
       SELECT CASE WHEN n <= 20 THEN $2 ELSE 'usr_' || n END, $1, 'event:' || n, n, 'event', 'svc', 'Secret', 'Secret',
         'Secret', 'Secret', 'Secret', 'text', 'https://secret', 'https://secret', $3::timestamptz
       FROM generate_series(1, 12000) n`,
      [sender, reader, clock.now()],
    );
    await query(
      `INSERT INTO inbox_projects (account_id, project_id, name, named_by, total_count, latest_item_id, latest_at)
       VALUES ($1, 'svc', 'Secret', $2, 20, 'event:20', $3)`,
      [reader, sender, clock.now()],
    );
    const listed = async (after?: string) => {
      const context = contextOf(reader, after);
      return [
        (await bus.ask(Events.list, {}, context)).value.items,
        (await bus.ask(ActivityFeed.read, {}, context)).value.items,
        (await bus.ask(Inbox.list, { limit: 20 }, context)).value.items,
        (await bus.ask(Inbox.list, { limit: 20, q: 'secret' }, context)).value.items,
        (await bus.ask(Inbox.projects, {}, context)).value.projects,
        (await bus.ask(Inbox.get, { id: 'event:1' }, context)).value,
      ];
    };
    expect((await listed()).map((list) => JSON.stringify(list))).toEqual(
      Array(6).fill(expect.stringContaining('Secret')),
    );

    const tables = ['events', 'feed_items', 'inbox_items'];
    // Not by the service, which ends before.
    const other = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
    await other.connect();
    await other.query(`BEGIN; SET LOCAL search_path = read_models`);
    for (const table of [...tables, 'inbox_projects'])
      await other.query(`SELECT FROM ${table} WHERE account_id = $1 FOR UPDATE`, [reader]);
    const position = await forget(sender);
    const hidden = await listed(position);
    const textless = { sourceName: '', title: '', preview: '', url: null, projectName: 'svc' };
    expect(hidden).toEqual([
      Array(20).fill(expect.objectContaining({ serviceTitle: '', title: null, body: '' })),
      Array(20).fill(expect.objectContaining({ sourceName: '', title: '', detail: '' })),
      Array(20).fill(expect.objectContaining(textless)),
      [],
      [expect.objectContaining({ name: 'svc', latestTitle: '', latestPreview: '', latestImageUrl: null })],
      expect.objectContaining({ ...textless, body: '', summary: null }),
    ]);
    for (const table of tables)
      await eventually(
        async () => (await cleared(table, sender)).length === 3 || undefined,
        () => `${table} is not cleared`,
        20_000,
      );
    for (const table of tables) expect(await cleared(table, sender)).toEqual([5_000, 5_000, 1_980]);

    // Another process goes on where this one ends.
    await restart();
    expect(await listed()).toEqual(hidden);
    await other.query(`COMMIT`);
    await other.end();
    await clock.advance(1_000);
    await notQueued(sender);
    expect(await listed()).toEqual(hidden);
    expect(await query(`SELECT name, named_by FROM inbox_projects WHERE account_id = $1`, [reader])).toEqual([
      { name: 'svc', named_by: null },
    ]);
    for (const table of tables)
      expect((await cleared(table, sender)).reduce((sum, count) => sum + count)).toBe(12_000);
  }, 60_000);

  it('stays hidden and is cleared in a line that is made of it meanwhile', async () => {
    const [sender, reader] = [newAccount(), newAccount()];
    const recipients = [reader];
    const asked = interactionAsked({ accountId: sender, recipients, title: 'Secret', prompt: 'Secret' });
    const { interactionId } = asked;
    const write = (event: DomainEvent) => append('interaction', streamTail(interactionId), sender, event);
    await bus.ask(ActivityFeed.read, {}, contextOf(reader, await write(asked)));
    const other = await service.get(Database).connect();
    await other.query(`BEGIN`);
    await other.query(`SELECT FROM feed_prompts WHERE prompt_id = $1 FOR UPDATE`, [interactionId]);
    const forgotten = await forget(sender);
    await bus.ask(ActivityFeed.read, {}, contextOf(reader, forgotten));
    const canceled = await write({
      type: 'InteractionCanceled',
      interactionId,
      accountId: sender,
      recipients,
      presentation: asked.presentation,
      liveActivityId: null,
      webhookIds: [],
      canceledAt: clock.now(),
    } as DomainEvent);
    await other.query(`COMMIT`);
    await other.end();
    const { items } = (await bus.ask(ActivityFeed.read, {}, contextOf(reader, canceled))).value;
    expect(items).toMatchObject([{ kind: 'response', result: 'canceled', title: '', detail: '' }]);
    await clock.advance(1_000);
    await notQueued(sender);
    const rows = await query(`SELECT title, detail FROM feed_items WHERE $1 IN (account_id, sender_id)`, [
      sender,
    ]);
    expect(rows).toEqual(Array(2).fill({ title: '', detail: '' }));
  });
});

describe('the inbox of a deleted account', () => {
  it('is deleted 5,000 rows a transaction, with what arrives meanwhile, and also when it is deleted twice', async () => {
    const [owner, other] = [newAccount(), newAccount()];
    await query(`CREATE TABLE deletions (n integer)`, []);
    await query(
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO deletions SELECT count(*) FROM gone HAVING count(*) > 0; RETURN NULL; END $$`,
      [],
    );
    await query(
      `CREATE TRIGGER noted AFTER DELETE ON inbox_items REFERENCING OLD TABLE AS gone
       FOR EACH STATEMENT EXECUTE FUNCTION note()`,
      [],
    );
    const sent = (accountId: string) => {
      const event = notificationSent({
        notificationId: newId('anot', clock.ms()),
        accountId,
        projectId: 'web',
        sentAt: clock.now(),
      });
      return append('notification', streamTail(event.notificationId), accountId, event);
    };
    const read = async (accountId: string, after: string) =>
      (await bus.ask(Inbox.list, {}, contextOf(accountId, after))).value.items;
    await read(owner, await sent(owner));
    await query(
      `INSERT INTO inbox_items SELECT (jsonb_populate_record(i, jsonb_build_object('item_id', 'notification:' || n))).*
       FROM inbox_items i, generate_series(1, 11999) n WHERE i.account_id = $1`,
      [owner],
    );
    const connection = await service.get(Database).connect();
    await connection.query(`BEGIN`);
    await connection.query(
      `SELECT FROM inbox_items WHERE account_id = $1 AND item_id = 'notification:1' FOR UPDATE`,
      [owner],
    );
    const closed = { type: 'AccountDeleted', accountId: owner, deletedAt: clock.now() } as DomainEvent;
    await append('account', streamTail(owner), owner, closed);
    const deleted = async () =>
      (await query<{ n: number }>(`SELECT n FROM deletions ORDER BY n DESC`, [])).map(({ n }) => n);
    await eventually(
      async () => (await deleted()).length === 3 || undefined,
      () => 'the inbox is not deleted',
      20_000,
    );
    expect(await deleted()).toEqual([5_000, 5_000, 1_999]);
    await read(owner, await sent(owner));
    expect(await read(other, await sent(other))).toHaveLength(1);

    await connection.query(`COMMIT`);
    await connection.end();
    await read(other, await forget(owner));
    await clock.advance(1_000);
    await notQueued(owner);
    for (const table of ['inbox_items', 'inbox_projects'])
      expect(await query(`SELECT FROM ${table} WHERE account_id = $1`, [owner])).toEqual([]);
    expect(await read(other, await sent(other))).toHaveLength(2);
    await query(`DROP TRIGGER noted ON inbox_items`, []);
  }, 60_000);
});
