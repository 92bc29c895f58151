import { Database, type Sql } from '@carillon/event-store';
import { startPostgres } from '@carillon/testkit';
import { setTimeout as pause } from 'node:timers/promises';
import { ManualClock } from './clock';
import { type DeleteBatch, PeriodicCleanup } from './periodic-cleanup';

type Logged = [fields: { cleanup: string; err: Error }, message: string];

/** Deletes old coins, and tells what it deletes. */
class Coins extends PeriodicCleanup {
  protected readonly name = 'coins';
  protected readonly everyMs: number;
  readonly deleted: number[] = [];
  /** Called in the transaction of each batch, before it deletes. */
  before = (_sql: Sql): Promise<unknown> => Promise.resolve();
  readonly logged: Logged[];

  constructor(database: Database, clock: ManualClock, everyMs = 3_600_000) {
    const logged: Logged[] = [];
    super(database, clock, { warn: (...given: unknown[]) => void logged.push(given as Logged) });
    this.logged = logged;
    this.everyMs = everyMs;
  }

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    await untilNone(async (sql, limit) => {
      await this.before(sql);
      const rows = await sql.query(
        `DELETE FROM coins WHERE id IN (SELECT id FROM coins WHERE old LIMIT $1) RETURNING 1`,
        [limit],
      );
      this.deleted.push(rows.length);
      return rows.length;
    });
  }
}

let postgres: Awaited<ReturnType<typeof startPostgres>>;
const databases: Database[] = [];
const started: Coins[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  const database = await open();
  await database.query(`CREATE TABLE coins (id serial PRIMARY KEY, old boolean NOT NULL)`);
}, 60_000);
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await postgres.stop();
});
afterEach(async () => {
  for (const coins of started.splice(0)) await coins.onModuleDestroy();
  await databases[0]?.query(`TRUNCATE coins`);
});

async function open(querySeconds?: number): Promise<Database> {
  const options = { url: postgres.url, schema: 'cleanup', migrations: [] };
  const database = await Database.open({ ...options, ...(querySeconds !== undefined && { querySeconds }) });
  databases.push(database);
  return database;
}

/** A process of its own. */
async function startCoins({ everyMs, querySeconds }: { everyMs?: number; querySeconds?: number } = {}) {
  const database = await open(querySeconds);
  const clock = new ManualClock();
  const coins = new Coins(database, clock, everyMs);
  coins.onModuleInit();
  started.push(coins);
  return { coins, database, cleanUp: () => clock.advance(0) };
}

const strike = (database: Database, old: number, fresh = 0) =>
  database.query(`INSERT INTO coins (old) SELECT n <= $1 FROM generate_series(1, $1::int + $2::int) n`, [
    old,
    fresh,
  ]);
const left = async (database: Database) =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM coins`))[0]?.n;

describe('a periodic cleanup', () => {
  it('deletes 12,000 rows in batches of 5,000, and nothing that is not due', async () => {
    const { coins, database, cleanUp } = await startCoins();
    await strike(database, 12_000, 7);
    await cleanUp();
    expect(coins.deleted).toEqual([5_000, 5_000, 2_000]);
    expect(await left(database)).toBe(7);
    await cleanUp();
    expect(coins.deleted).toEqual([5_000, 5_000, 2_000, 0]);
  });

  it('is left to the process that does it already, and is free for others afterwards', async () => {
    const [one, other] = [await startCoins(), await startCoins()];
    await strike(one.database, 12_000);
    // The other process cleans up while this one is in a batch.
    one.coins.before = () => other.cleanUp();
    await one.cleanUp();
    expect(other.coins.deleted).toEqual([]);
    expect(one.coins.deleted).toEqual([5_000, 5_000, 2_000]);

    await strike(one.database, 3);
    await other.cleanUp();
    expect(other.coins.deleted).toEqual([3]);
    expect([one.coins.logged, other.coins.logged]).toEqual([[], []]);
  });

  it('deletes each row once when two processes begin at once', async () => {
    const [one, other] = [await startCoins(), await startCoins()];
    await strike(one.database, 12_000);
    await Promise.all([one.cleanUp(), other.cleanUp()]);
    const deleted = [...one.coins.deleted, ...other.coins.deleted];
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(12_000);
    expect(await left(one.database)).toBe(0);
  });

  it('runs at its interval', async () => {
    const { coins, database } = await startCoins({ everyMs: 20 });
    const deleted = new Promise<void>((resolve) => {
      coins.before = () => Promise.resolve(resolve());
    });
    await strike(database, 1);
    await deleted;
  });

  it('has more time for a batch than a request has', async () => {
    const { coins, database, cleanUp } = await startCoins({ querySeconds: 0.3 });
    await strike(database, 1);
    await expect(database.query(`SELECT pg_sleep(0.6)`)).rejects.toThrow();
    coins.before = (sql) => sql.query(`SELECT pg_sleep(0.6)`);
    await cleanUp();
    expect([coins.deleted, coins.logged]).toEqual([[1], []]);
  });

  it('that fails is logged, keeps what it has deleted, and is tried again', async () => {
    const { coins, database, cleanUp } = await startCoins();
    await strike(database, 12_000);
    coins.before = (sql) => (coins.deleted.length === 1 ? sql.query(`SELECT 1 / 0`) : Promise.resolve());
    await cleanUp();
    expect(coins.deleted).toEqual([5_000]);
    expect(coins.logged).toEqual([
      [
        { err: expect.objectContaining({ message: 'division by zero' }), cleanup: 'coins' },
        'Failed to delete old rows: the next cleanup tries again',
      ],
    ]);
    expect(await left(database)).toBe(7_000);

    coins.before = () => Promise.resolve();
    await cleanUp();
    expect(coins.deleted).toEqual([5_000, 5_000, 2_000]);
  });

  it('ends before its next batch when it has lost its lease, since another process may hold it', async () => {
    const { coins, database, cleanUp } = await startCoins();
    await strike(database, 12_000);
    coins.before = async () => {
      await database.query(`DELETE FROM leases`);
      // It finds out within a second, when it renews its lease.
      await pause(3_000);
    };
    await cleanUp();
    expect(coins.deleted).toEqual([5_000]);
    expect(coins.logged).toMatchObject([[{ err: { message: 'The lease of the cleanup is over' } }, {}]]);
  });

  it('ends with its process after the current batch, and releases its lease', async () => {
    const [one, other] = [await startCoins(), await startCoins()];
    await strike(one.database, 12_000);
    let stopped: Promise<void> | undefined;
    one.coins.before = () => {
      stopped ??= one.coins.onModuleDestroy();
      return Promise.resolve();
    };
    await one.cleanUp();
    await stopped;
    expect([one.coins.deleted, one.coins.logged]).toEqual([[5_000], []]);
    await other.cleanUp();
    expect(other.coins.deleted).toEqual([5_000, 2_000]);
  });
});
