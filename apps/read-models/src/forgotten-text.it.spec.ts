import { ActivityFeed, Events } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import type { DomainEvent } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { contextOf, eventually, interactionAsked, newAccount } from '@carillon/testkit';
import { append, begin, bus, clock, end, service } from './testbed';

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
    await query(`INSERT INTO feed_totals (account_id, kind, total) VALUES ($1, 'notification', 20)`, [
      reader,
    ]);
    const listed = async (after?: string) => [
      (await bus.ask(Events.list, {}, contextOf(reader, after))).value.items,
      (await bus.ask(ActivityFeed.read, {}, contextOf(reader, after))).value.items,
    ];
    expect(JSON.stringify(await listed())).toContain('Secret');

    const other = await service.get(Database).connect();
    await other.query(`BEGIN`);
    for (const table of ['events', 'feed_items'])
      await other.query(`SELECT FROM ${table} WHERE account_id = $1 FOR UPDATE`, [reader]);
    const position = await forget(sender);
    const [events, lines] = await listed(position);
    expect([events, lines]).toEqual([
      Array(20).fill(expect.objectContaining({ serviceTitle: '', title: null, body: '' })),
      Array(20).fill(expect.objectContaining({ sourceName: '', title: '', detail: '' })),
    ]);
    for (const table of ['events', 'feed_items'])
      await eventually(
        async () => (await cleared(table, sender)).length === 3 || undefined,
        () => `${table} is not cleared`,
        20_000,
      );
    expect(await cleared('events', sender)).toEqual([5_000, 5_000, 1_980]);
    expect(await cleared('feed_items', sender)).toEqual([5_000, 5_000, 1_980]);

    await other.query(`COMMIT`);
    await other.end();
    await clock.advance(1_000);
    await notQueued(sender);
    expect(await listed()).toEqual([events, lines]);
    for (const table of ['events', 'feed_items'])
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
