import { Database, partitioned, type PartitionedTable } from '@carillon/event-store';
import { eventually, startPostgres } from '@carillon/testkit';
import { ManualClock } from './clock';
import { startWaits } from './parts';
import { Retention } from './retention';

const rings: PartitionedTable = { table: 'rings', column: 'at', days: 90 };
const dayMs = 24 * 60 * 60 * 1000;

class Rings extends Retention {
  protected readonly tables = [rings];
  readonly recorded: Date[] = [];
  fails = false;

  protected override async beforeDrop(table: PartitionedTable, before: Date): Promise<void> {
    expect(table).toBe(rings);
    if (this.fails) throw new Error('not recorded');
    this.recorded.push(before);
  }
}

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({
    url: postgres.url,
    schema: 'rings',
    migrations: [
      {
        name: 'Rings1763600000001',
        phase: 'expand',
        statements: partitioned(`CREATE TABLE rings (at timestamptz PRIMARY KEY)`, 'rings', 'at'),
      },
    ],
  });
}, 60_000);
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

it('rows go when what has to happen before has happened, in their partitions and without one', async () => {
  const clock = new ManualClock();
  const warnings: unknown[] = [];
  const retention = new Rings(database, clock, { warn: (fields: object) => void warnings.push(fields) });
  await retention.onModuleInit();
  const at = (days: number) => new Date(clock.ms() - days * dayMs);
  for (const days of [1_000, 80, 1]) await database.query(`INSERT INTO rings VALUES ($1)`, [at(days)]);
  const left = async () => (await database.query(`SELECT FROM rings`)).length;

  retention.fails = true;
  await clock.advance(40 * dayMs);
  expect([await left(), warnings.length]).toEqual([3, 1]);
  retention.fails = false;
  await clock.advance(0);
  expect(await left()).toBe(1);
  expect(retention.recorded).toHaveLength(1);
  await retention.onModuleDestroy();
});

it('a start waits for the lock of a table that another process holds', async () => {
  const retention = new Rings(database, new ManualClock(), { warn: () => {} });
  const told: string[] = [];
  const tell = startWaits.tell;
  startWaits.tell = (_, why) => void told.push(why);
  await database.query(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'rings'::regclass AND
      inhrelid <> 'rings_rest'::regclass LOOP EXECUTE 'DROP TABLE ' || name; END LOOP; END $$`);
  const starting = database.transaction(async (sql) => {
    await sql.query('LOCK TABLE rings IN ROW EXCLUSIVE MODE');
    const started = retention.onModuleInit();
    await eventually(
      () => told[0],
      () => 'the start does not wait',
      30_000,
    );
    return { started };
  });
  await (
    await starting
  ).started;
  startWaits.tell = tell;
  expect(told[0]).toContain('lock timeout');
  await retention.onModuleDestroy();
});
