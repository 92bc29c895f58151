import { Database } from '@carillon/event-store';
import { startPostgres } from '@carillon/testkit';
import { ManualClock } from './clock';
import { EndedRows } from './ended-rows';

const dayMs = 24 * 60 * 60 * 1000;

class EndedCalls extends EndedRows {
  protected readonly tables = [
    { table: 'calls', endedAt: 'ended_at' },
    { table: 'needed_calls', endedAt: 'ended_at', neededDays: 39 },
  ];
}

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
const clock = new ManualClock();
const before = process.env['CARILLON_KEEP_DAYS'];

beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({ url: postgres.url, schema: 'ended', migrations: [] });
  await database.query(`CREATE TABLE calls (id text PRIMARY KEY, ended_at timestamptz)`);
  await database.query(`CREATE TABLE needed_calls (LIKE calls)`);
}, 60_000);
afterAll(async () => {
  if (before === undefined) delete process.env['CARILLON_KEEP_DAYS'];
  else process.env['CARILLON_KEEP_DAYS'] = before;
  await database?.close();
  await postgres?.stop();
});

it('rows of what ended leave after the days that are kept, in batches, and those of what has not ended stay', async () => {
  const warn = (...told: unknown[]): never => {
    throw new Error(JSON.stringify(told));
  };
  const daysAgo = (days: number): string => new Date(clock.ms() - days * dayMs).toISOString();
  await database.query(
    `INSERT INTO calls SELECT 'old ' || n, $1::timestamptz FROM generate_series(1, 6000) n
     UNION ALL VALUES ('new', $2::timestamptz), ('open', NULL)`,
    [daysAgo(91), daysAgo(89)],
  );
  await database.query(`INSERT INTO needed_calls VALUES ('old', $1), ('needed', $2)`, [
    daysAgo(40),
    daysAgo(38),
  ]);
  const left = async (table = 'calls'): Promise<string[]> =>
    (await database.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
  const cleanUp = async (days: string): Promise<void> => {
    process.env['CARILLON_KEEP_DAYS'] = days;
    const calls = new EndedCalls(database, clock, { warn });
    calls.onModuleInit();
    await clock.advance(0);
    await calls.onModuleDestroy();
  };
  await cleanUp('0');
  expect(await left()).toHaveLength(6_002);
  await cleanUp('90');
  expect(await left()).toEqual(['new', 'open']);
  expect(await left('needed_calls')).toEqual(['needed', 'old']);
  await cleanUp('8');
  expect(await left()).toEqual(['open']);
  expect(await left('needed_calls')).toEqual(['needed']);
});
