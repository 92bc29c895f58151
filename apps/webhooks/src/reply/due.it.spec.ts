import { Database } from '@carillon/event-store';
import { startPostgres } from '@carillon/testkit';
import { firstRelease } from '../migrations/1-first-release';
import { leasingDue } from './due.entity';
import { Places } from './places';

const now = '2026-11-26T09:00:00.000Z';
const places = 20;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const literal = (value: unknown): string =>
  Array.isArray(value) ? `'{${value.join(',')}}'` : `'${String(value)}'`;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({ url: postgres.url, schema: 'webhooks', migrations: [firstRelease] });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

/** Deliveries of ten endpoints, and a few that are due for each. */
const write = (kind: string, count: number, due: string | null, owner: number | null = null) =>
  database.query(
    `INSERT INTO replies (delivery_id, webhook_id, account_id, message_id, reply_type, status, attempts, attempt_log,
       created_at, due_at, owner)
     SELECT 'whd_' || $1 || n, 'whk_' || n % 10, 'usr_' || n % 10, 'msg', 'interaction.answered', 'pending', 0, '[]',
       $2::timestamptz - n * interval '1 second', $3::timestamptz, $4 FROM generate_series(1, $5::integer) n`,
    [kind, now, due, owner, count],
  );

it('looking for deliveries reads as little beside a million rows as beside a hundred', async () => {
  await database.query(
    `INSERT INTO webhooks (webhook_id, account_id, url, preset, header_names, events, enabled, created_at, updated_at)
     SELECT 'whk_' || n, 'usr_' || n, 'https://h' || n || '.test/', 'carillon', '{}', '{}', true, $1, $1
     FROM generate_series(0, 9) n`,
    [now],
  );
  const client = await database.connect();
  const claim = { owner: 7, ownedSeconds: 30, available: places, fullAccounts: [], atMs: 0 };
  const [text, values] = leasingDue({ claim, leased: [], places: new Places(), now, without: [] });
  // A statement that was prepared and planned while the tables were nearly empty, and never since.
  await client.query(`SET plan_cache_mode = force_generic_plan`);
  await client.query(`PREPARE looking AS ${text}`);
  const look = async () => {
    await client.query('BEGIN');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE looking (${values.map(literal).join(', ')})`,
    );
    await client.query('ROLLBACK');
    const { Plan } = rows[0]!['QUERY PLAN'][0]!;
    return { plan: Plan, blocks: Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'] };
  };
  await write('kept', 100, null);
  await write('due', 50, now);
  const small = await look();
  await write('old', 1_000_000, null);
  await write('later', 20_000, '2026-11-26T10:00:00.000Z');
  const large = await look();

  for (const { plan } of [small, large]) {
    expect(plan['Actual Rows']).toBe(places);
    const read = nodesOf(plan).filter((node) => node['Relation Name'] === 'replies');
    expect(read.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    for (const node of read)
      expect(
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      ).toBeLessThan(4 * places);
  }
  // An index that has grown is some levels deeper.
  expect(large.blocks).toBeLessThan(3 * small.blocks);
}, 300_000);
