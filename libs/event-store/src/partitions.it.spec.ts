import { eventually, startPostgres } from '@carillon/testkit';
import { Database } from './database';
import {
  addPartitions,
  copyTable,
  deleteRest,
  dropPartitions,
  moveTable,
  partitioned,
  type PartitionedTable,
} from './partitions';

const dayMs = 24 * 60 * 60 * 1000;
const start = Date.UTC(2026, 10, 26, 12);
const rings: PartitionedTable = { table: 'rings', column: 'at', days: 90 };

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
let number = 0;

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres.stop());
beforeEach(async () => {
  number += 1;
  database = await Database.open({
    url: postgres.url,
    schema: `partitions_${number}`,
    migrations: [
      {
        name: 'Rings1763600000001',
        phase: 'expand',
        statements: [
          ...partitioned(
            `CREATE TABLE rings (id text NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (id, at))`,
            'rings',
            'at',
          ),
          `CREATE INDEX ON rings (at DESC)`,
        ],
      },
    ],
  });
});
afterEach(() => database.close());

const daysOld = (days: number, nowMs = start): string => new Date(nowMs - days * dayMs).toISOString();
const ring = (id: string, at: string) =>
  database.query(`INSERT INTO rings (id, at) VALUES ($1, $2)`, [id, at]);
const ids = async (): Promise<string[]> =>
  (await database.query<{ id: string }>(`SELECT id FROM rings ORDER BY at`)).map(({ id }) => id);
const tables = async (): Promise<string[]> =>
  (
    await database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'
         AND relname LIKE 'rings%' ORDER BY relname`,
      [database.schema],
    )
  ).map(({ name }) => name);
const drop = (days: number, nowMs = start) =>
  dropPartitions(database, 'rings', new Date(nowMs - days * dayMs));

describe('the partitions of a table', () => {
  it('reach from the oldest row that is kept to two ahead, whoever adds them and however often', async () => {
    await Promise.all([addPartitions(database, rings, start), addPartitions(database, rings, start)]);
    await addPartitions(database, rings, start);
    const names = await tables();
    expect(names).toHaveLength(10);
    expect(names.at(-1)).toBe('rings_rest');
    for (const days of [90, 45, 0, -29]) await ring(String(days), daysOld(days));
    expect(await database.query(`SELECT FROM rings_rest`)).toEqual([]);
    // Another number of days: the next partitions are shorter, and begin where the last one ends.
    await addPartitions(database, { ...rings, days: 12 }, start + 40 * dayMs);
    for (const days of [29, 31, 39]) await ring(`in ${days}`, daysOld(-days));
    expect(await database.query(`SELECT FROM rings_rest`)).toEqual([]);
  });

  it('are none for a table that is kept for ever, until a setting ends that', async () => {
    await addPartitions(database, { ...rings, days: 0 }, start);
    expect(await tables()).toEqual(['rings_rest']);
    await ring('old', daysOld(200));
    await ring('new', daysOld(1));
    await addPartitions(database, rings, start);
    await ring('later', daysOld(-2));
    expect((await tables()).length).toBeGreaterThan(1);
    expect(await database.query(`SELECT id FROM rings_rest ORDER BY at`)).toEqual([
      { id: 'old' },
      { id: 'new' },
    ]);
    const deleted = await database.transaction((sql) => deleteRest(sql, rings, new Date(daysOld(90)), 5_000));
    expect([deleted, await ids()]).toEqual([1, ['new', 'later']]);
  });

  it('that are late do not break a row that is being inserted into the rest', async () => {
    await addPartitions(database, rings, start);
    const later = start + 60 * dayMs;
    const inserted = database.query(`INSERT INTO rings (id, at) SELECT 'late', $1 FROM pg_sleep(0.5)`, [
      new Date(later).toISOString(),
    ]);
    await eventually(
      async () =>
        (
          await database.query(
            `SELECT FROM pg_locks WHERE relation = 'rings'::regclass AND mode = 'RowExclusiveLock'`,
          )
        ).length > 0 || undefined,
      () => 'nothing is inserted',
    );
    await addPartitions(database, rings, later);
    await inserted;
    expect(await ids()).toEqual(['late']);
    expect(await database.query(`SELECT id FROM rings_rest`)).toEqual([{ id: 'late' }]);
  });

  it('are dropped as a whole when their last row is past its time', async () => {
    await addPartitions(database, rings, start);
    await ring('old', daysOld(80));
    await ring('new', daysOld(1));
    await drop(90, start + 9 * dayMs);
    expect(await ids()).toEqual(['old', 'new']);
    await drop(90, start + 40 * dayMs);
    expect(await ids()).toEqual(['new']);
    await drop(90, start + 40 * dayMs);
  });

  it('that a killed process detached are dropped by the next', async () => {
    await addPartitions(database, rings, start);
    const [first] = await tables();
    await database.query(`ALTER TABLE rings DETACH PARTITION ${first}`);
    await drop(90);
    expect(await tables()).not.toContain(first);
    expect(await tables()).toHaveLength(9);
  });

  it('of a copy take the place of those that were detached meanwhile', async () => {
    await addPartitions(database, rings, start);
    await ring('live', daysOld(80));
    const [first] = await tables();
    await database.query(`CREATE SCHEMA copies_${number}`);
    await database.transaction((sql) => copyTable(sql, database.schema, `copies_${number}`, 'rings'));
    await database.query(`INSERT INTO copies_${number}.rings VALUES ('copied', $1)`, [daysOld(80)]);
    await database.query(`ALTER TABLE rings DETACH PARTITION ${first}`);
    await database.transaction((sql) => moveTable(sql, `copies_${number}`, database.schema, 'rings'));
    expect(await ids()).toEqual(['copied']);
    expect(await tables()).toHaveLength(10);
  });

  it('do not wait for a reader longer than a second', async () => {
    await addPartitions(database, rings, start);
    await ring('old', daysOld(80));
    const reader = await database.connect();
    await reader.query(`BEGIN; SELECT FROM rings`);
    await expect(drop(90, start + 40 * dayMs)).rejects.toMatchObject({ code: '55P03' });
    await reader.end();
    await drop(90, start + 40 * dayMs);
    expect(await ids()).toEqual([]);
  });
});
