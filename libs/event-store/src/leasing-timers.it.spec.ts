import { OldPlan, startPostgres } from '@carillon/testkit';
import { Database } from './database';
import { leasingTimers } from './timers';
import { lookingForTimers } from './timers-poll';

const now = '2026-11-26T09:00:00.000Z';
const limit = 20;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({ url: postgres.url, schema: 'timed', migrations: [], querySeconds: 120 });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

const write = (kind: string, count: number, due: string) =>
  database.query(
    `INSERT INTO timers (queue, key, due_at, command)
     SELECT 'expiry', $1 || n, $2::timestamptz + n * interval '1 ms', '{}' FROM generate_series(1, $3::integer) n`,
    [kind, due, count],
  );

it('looking for due timers reads as little beside a million later ones as beside a hundred', async () => {
  const plan = await OldPlan.of(await database.connect(), leasingTimers);
  const look = () => plan.look(['expiry', now, 7, 30, limit]);
  await write('later', 100, '2026-11-27T09:00:00.000Z');
  await write('due', 50, '2026-11-26T08:00:00.000Z');
  const small = await look();
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

it('a look at several queues reads as little', async () => {
  const plan = await OldPlan.of(await database.connect(), lookingForTimers);
  const look = () => plan.look(['{expiry,retention}', `{${now},${now}}`]);
  await database.query('TRUNCATE timers');
  await write('later', 100, '2026-11-27T09:00:00.000Z');
  const small = await look();
  await write('much later', 300_000, '2026-11-28T09:00:00.000Z');
  const large = await look();
  for (const { rows, reads } of [small, large]) {
    expect(rows).toBe(2);
    for (const { table, by, rows: read } of reads) {
      if (table !== 'timers') continue;
      expect(by).not.toBe('Seq Scan');
      expect(read).toBeLessThanOrEqual(2);
    }
  }
  expect(large.blocks).toBeLessThan(3 * small.blocks);
}, 300_000);
