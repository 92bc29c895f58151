import { Database } from '@carillon/event-store';
import { OldPlan, startPostgres } from '@carillon/testkit';
import { firstRelease } from '../migrations/1-first-release';
import { leasingDue } from './due.entity';
import { Places } from './places';

const now = '2026-11-26T09:00:00.000Z';
const places = 20;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({
    url: postgres.url,
    schema: 'webhooks',
    migrations: [firstRelease],
    querySeconds: 120,
  });
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
  const plan = await OldPlan.of(client, text);
  await write('kept', 100, null);
  await write('due', 50, now);
  const small = await plan.look(values);
  await write('old', 1_000_000, null);
  await write('later', 20_000, '2026-11-26T10:00:00.000Z');
  const large = await plan.look(values);

  for (const { rows, reads } of [small, large]) {
    expect(rows).toBe(places);
    for (const { table, by, rows: read } of reads)
      if (table === 'replies') {
        expect(by).not.toBe('Seq Scan');
        expect(read).toBeLessThan(4 * places);
      }
  }
  // An index that has grown is some levels deeper.
  expect(large.blocks).toBeLessThan(3 * small.blocks);
}, 300_000);
