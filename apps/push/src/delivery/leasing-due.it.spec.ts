import { Database } from '@carillon/event-store';
import { OldPlan, startPostgres } from '@carillon/testkit';
import { firstRelease } from '../migrations/1-first-release';
import { leasingDue } from './delivery.worker';

const now = '2026-11-26T09:00:00.000Z';
const limit = 20;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({
    url: postgres.url,
    schema: 'push',
    migrations: [firstRelease],
    querySeconds: 120,
  });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

const write = (kind: string, count: number, due: string) =>
  database.query(
    `INSERT INTO deliveries (subject_id, device_id, delivery_id, account_id, source, position, targets, expires_at, due_at)
     SELECT $1 || n, 'dev_' || n, 'rcp_' || $1 || n, 'usr_' || n % 10, 'source', n, 1, $2::timestamptz + interval '1 day',
       $2::timestamptz + n * interval '1 ms' FROM generate_series(1, $3::integer) n`,
    [kind, due, count],
  );

it('looking for due pushes reads as little beside a million that wait as beside a hundred', async () => {
  const plan = await OldPlan.of(await database.connect(), leasingDue);
  const look = () => plan.look([now, limit, 7, 30, []]);
  await write('later', 100, '2026-11-27T09:00:00.000Z');
  await write('due', 50, '2026-11-26T08:00:00.000Z');
  const small = await look();
  await database.query(
    `INSERT INTO devices (device_id, account_id, platform, active, push_environment, token_since, live_activities_capable,
       interactive_live_activities_capable, created_at, last_seen_at)
     SELECT 'dev_' || n, 'usr_' || n, 'ios', false, 'sandbox', now(), false, false, now(), now()
     FROM generate_series(1, 50000) n`,
  );
  await write('much later', 1_000_000, '2026-11-28T09:00:00.000Z');
  const large = await look();
  for (const { rows, reads } of [small, large]) {
    expect(rows).toBe(limit);
    for (const { by, rows: read } of reads) {
      expect(by).not.toBe('Seq Scan');
      expect(read).toBeLessThanOrEqual(limit);
    }
  }
  expect(large.blocks).toBeLessThan(3 * small.blocks);
}, 300_000);
