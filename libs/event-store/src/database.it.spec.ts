import { setTimeout as pause } from 'node:timers/promises';
import { isPassing } from '@carillon/eventing';
import { eventually, startPostgres, type TestPostgres } from '@carillon/testkit';
import { Database, DatabaseUnavailable } from './database';
import { until } from './event-store.contract.spec';
import { Leases } from './leases';

let postgres: TestPostgres;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await open();
}, 60_000);
afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

const open = (more = {}): Promise<Database> =>
  Database.open({ url: postgres.url, schema: 'transient', migrations: [], ...more });

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Stops and restarts Postgres while `work` runs; returns the error of `work`. */
async function whileAway(how: 'fast' | 'kill', work: (gone: Promise<void>) => Promise<unknown>) {
  let tellGone = (): void => {};
  const gone = new Promise<void>((resolve) => (tellGone = resolve));
  const done = failure(work(gone));
  await database.query('SELECT 1');
  await postgres.crash(how);
  tellGone();
  const outcome = await done;
  await postgres.start();
  return outcome;
}

describe('a start', () => {
  it('waits while Postgres is away, and says why once', async () => {
    await postgres.crash('kill');
    const told: string[] = [];
    const opening = Database.open(
      { url: postgres.url, schema: 'late', migrations: [] },
      { waiting: (why) => told.push(why) },
    );
    await eventually(
      async () => told[0],
      () => 'it said nothing',
    );
    await postgres.start();
    const late = await opening;
    expect(await late.query('SELECT count(*)::int AS n FROM timers')).toEqual([{ n: 0 }]);
    await late.close();
    expect(told[0]).toMatch(/Postgres does not answer yet: .*ECONNREFUSED/);
    expect(new Set(told).size).toBe(told.length);
  }, 60_000);

  it('that is stopped waits no longer', async () => {
    await postgres.crash('kill');
    const stop = new AbortController();
    const opening = failure(
      Database.open(
        { url: postgres.url, schema: 'late', migrations: [] },
        { waiting: () => stop.abort(), signal: stop.signal },
      ),
    );
    expect(await opening).toMatchObject({ name: 'AbortError' });
    await postgres.start();
  }, 60_000);

  it.each([
    ['a database that does not exist', (url: string) => url.replace(/postgres$/, 'nowhere'), '3D000'],
    ['a URL that is none', () => 'postgres://[', 'ERR_INVALID_URL'],
  ])('ends with an error for %s', async (_, wrong, code) => {
    const opening = open({ url: wrong(postgres.url) });
    expect(await failure(opening)).toMatchObject({ code });
  });
});

it('Postgres gives up every connection whose machine is silent, and every idle transaction', async () => {
  const settings = `SELECT name, setting FROM pg_settings WHERE name ~ '^tcp_(keepalives|user)' ORDER BY name`;
  const outside = await database.connect();
  const found = [
    await database.query(settings),
    await database.read(settings),
    (await outside.query(settings)).rows,
  ];
  await outside.end();
  for (const rows of found)
    expect(rows.map(({ name, setting }) => [name, setting])).toEqual([
      ['tcp_keepalives_count', '2'],
      ['tcp_keepalives_idle', '3'],
      ['tcp_keepalives_interval', '2'],
      ['tcp_user_timeout', '7000'],
    ]);
  const idle = database.transaction(async (sql) => {
    await sql.query('SELECT 1');
    await pause(6_000);
    await sql.query('SELECT 1');
  });
  await expect(idle).rejects.toThrow(DatabaseUnavailable);
  // A rebuild reads the log between its statements.
  await database.transaction(
    async (sql) => {
      await pause(6_000);
      await sql.query('SELECT 1');
    },
    { unhurried: true },
  );
});

describe('Postgres goes away', () => {
  it.each(['fast', 'kill'] as const)(
    'inside an open transaction (%s): the transaction fails, the process survives, and the next query is answered',
    async (how) => {
      const outcome = await whileAway(how, (gone) =>
        database.transaction(async (sql) => {
          await sql.query('SELECT 1');
          // No query runs when the connection is lost: only a listener can notice.
          await gone;
          await sql.query('SELECT 2');
        }),
      );
      expect(outcome).toBeInstanceOf(DatabaseUnavailable);
      expect(outcome).toMatchObject({ reason: 'database.unavailable' });
      expect(await database.query('SELECT 3 AS n')).toEqual([{ n: 3 }]);
    },
    60_000,
  );

  it('in the middle of a query, which fails with a transient error', async () => {
    const outcome = await whileAway('fast', () => database.query('SELECT pg_sleep(30)'));
    expect(isPassing(outcome)).toBe(true);
  }, 60_000);

  it('and queries fail meanwhile', async () => {
    await postgres.crash('fast');
    const [byQuery, byTransaction, byConnection] = await Promise.all([
      failure(database.query('SELECT 1')),
      failure(database.transaction((sql) => sql.query('SELECT 1'))),
      failure(database.connect()),
    ]);
    expect([byQuery, byTransaction, byConnection].map(isPassing)).toEqual([true, true, true]);
    await postgres.start();
    expect(await database.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  }, 60_000);

  it('in the middle of reads that share a connection: each fails, and the next is answered', async () => {
    const reads = (gone: Promise<void>): Promise<unknown> =>
      gone.then(() => Promise.all(Array.from({ length: 20 }, () => failure(database.read('SELECT 1')))));
    const slow = failure(database.read('SELECT pg_sleep(30)'));
    const waiting = Array.from({ length: 20 }, () => failure(database.read('SELECT 1')));
    await whileAway('fast', reads);
    for (const outcome of [await slow, ...(await Promise.all(waiting))])
      expect(outcome).toBeInstanceOf(DatabaseUnavailable);
    expect(await database.read('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  }, 60_000);

  it('and ends every lease, which another process can take at once', async () => {
    const leases = Leases.of(database);
    const held = await leases.take('bell');
    expect(held?.isOver).toBe(false);
    await postgres.crash('kill');
    await postgres.start();
    expect((await new Leases(database).take('bell'))?.isOver).toBe(false);
    await until(() => held?.signal.aborted === true);
    expect(await leases.take('bell')).toBe(undefined);
  }, 60_000);

  it('for one connection after the other: every query fails or is answered', async () => {
    const asked = Array.from({ length: 20 }, () =>
      failure(database.query('SELECT pg_sleep(0.3)')).then(
        (error) => error === undefined || isPassing(error),
      ),
    );
    const [guard] = [await database.connect()];
    await guard.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'carillon transient' AND pid <> pg_backend_pid()`);
    await guard.end();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
    expect(await database.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  }, 60_000);
});

describe('Postgres does not answer', () => {
  it('when frozen: more queries than connections fail in time, and are answered after the thaw', async () => {
    const hasty = await open({ querySeconds: 0.5, statementSeconds: 0.5, poolSize: 2 });
    await hasty.query('SELECT 1');
    await hasty.read('SELECT 1');
    const thaw = postgres.freeze();
    try {
      const outcomes = await Promise.all([
        ...Array.from({ length: 6 }, () => failure(hasty.query('SELECT 1'))),
        ...Array.from({ length: 6 }, () => failure(hasty.read('SELECT 1'))),
        failure(hasty.transaction((sql) => sql.query('SELECT 1'))),
        failure(hasty.connect()),
      ]);
      expect(outcomes.map(isPassing)).toEqual(outcomes.map(() => true));
    } finally {
      thaw();
    }
    expect(await hasty.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(await hasty.read('SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await hasty.close();
  }, 60_000);

  it('to a slow query in time: the server cancels it too', async () => {
    const hasty = await open({ querySeconds: 0.3 });
    expect(await failure(hasty.query('SELECT pg_sleep(20), 4711'))).toBeInstanceOf(DatabaseUnavailable);
    const running = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%, 4711%' AND query NOT LIKE '%activity%'`;
    await eventually(
      async () => (await database.query(running)).length === 0 || undefined,
      () => 'it still runs',
    );
    await hasty.close();
  }, 60_000);

  it('but a transaction may take longer than a query', async () => {
    const patient = await open({ querySeconds: 0.2, statementSeconds: 30 });
    expect(await patient.transaction((sql) => sql.query('SELECT pg_sleep(0.6), 1 AS n'))).toMatchObject([
      { n: 1 },
    ]);
    const hasty = await open({ querySeconds: 0.2, statementSeconds: 0.2 });
    const slow = 'SELECT pg_sleep(0.8), 1 AS n';
    expect(isPassing(await failure(hasty.transaction((sql) => sql.query(slow))))).toBe(true);
    // A rebuild has no statement timeout.
    expect(await hasty.transaction((sql) => sql.query(slow), { unhurried: true })).toMatchObject([{ n: 1 }]);
    await patient.close();
    await hasty.close();
  }, 60_000);
});

describe('an error in a statement', () => {
  it('is not transient, rolls its transaction back and leaves the connection usable', async () => {
    const single = await open({ poolSize: 1 });
    await single.query('CREATE TABLE IF NOT EXISTS mistakes (n integer PRIMARY KEY)');
    const before = await single.query('SELECT pg_backend_pid() AS pid');
    const twice = failure(
      single.transaction(async (sql) => {
        await sql.query('INSERT INTO mistakes VALUES ($1)', [1]);
        await sql.query('INSERT INTO mistakes VALUES ($1)', [1]);
      }),
    );
    expect(await twice).toMatchObject({ code: '23505' });
    expect(isPassing(await twice)).toBe(false);
    expect(await single.query('SELECT * FROM mistakes')).toEqual([]);
    expect(await single.query('SELECT pg_backend_pid() AS pid')).toEqual(before);
    await single.close();
  });
});

describe('reads that share a connection', () => {
  it('get each its own answer, and an error of one does not affect the others', async () => {
    const asked = Array.from({ length: 300 }, (_, n) =>
      n % 7 === 3
        ? failure(database.read('SELECT $1::int / 0 AS n', [n]))
        : database.read<{ n: number; pid: number }>('SELECT $1::int AS n, pg_backend_pid() AS pid', [n]),
    );
    const pids = new Set<number>();
    for (const [n, answer] of (await Promise.all(asked)).entries()) {
      if (n % 7 === 3) expect(answer).toMatchObject({ code: '22012' });
      else {
        const [row] = answer as { n: number; pid: number }[];
        expect(row!.n).toBe(n);
        pids.add(row!.pid);
      }
    }
    expect(pids.size).toBe(1);
  });
});
