import { type Instant, instant } from '@carillon/eventing';
import { startPostgres } from '@carillon/testkit';
import { Database } from './database';
import { until } from './event-store.contract.spec';
import type { Sql } from './sql';
import { type Timer, Timers } from './timers';
import type { QueueClock } from './queue';
import { QueueRunner } from './queue-runner';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

/** A clock that moves only when told to. */
class TestClock implements QueueClock {
  private time = Date.parse('2026-11-20T09:00:00Z');
  private readonly queueRunner = new Set<() => Promise<void>>();

  ms(): number {
    return this.time;
  }

  now(): Instant {
    return instant(this.time);
  }

  in(seconds: number): Instant {
    return instant(this.time + seconds * 1_000);
  }

  onAdvance(work: () => Promise<void>): () => void {
    this.queueRunner.add(work);
    return () => this.queueRunner.delete(work);
  }

  async advance(seconds: number): Promise<void> {
    this.time += seconds * 1_000;
    await Promise.all([...this.queueRunner].map((work) => work()));
  }
}

/** Timers whose `issue` the test controls. */
class TestTimers extends Timers {
  constructor(
    database: Database,
    clock: QueueClock,
    readonly name: string,
    private readonly issued: (timer: Timer) => Promise<Instant | void>,
  ) {
    super(database, clock);
  }

  schedule(sql: Sql, key: string, at: Instant, command: unknown): Promise<void> {
    return this.set(sql, key, at, command);
  }

  cancel(sql: Sql, key: string): Promise<void> {
    return this.clear(sql, key);
  }

  protected issue(timer: Timer): Promise<Instant | void> {
    return this.issued(timer);
  }
}

let schemas = 0;
let database: Database;
let clock: TestClock;
const started: { stop(): Promise<void> }[] = [];

const open = (): Promise<Database> =>
  Database.open({ url: postgres.url, schema: `timers_${schemas}`, migrations: [] });

beforeEach(async () => {
  clock = new TestClock();
  schemas += 1;
  database = await open();
});
afterEach(async () => {
  for (const queueRunner of started.splice(0)) await queueRunner.stop();
  await database.close();
});

interface Errors {
  readonly errors: string[];
}

async function start(
  issue: (timer: Timer) => Promise<Instant | void>,
  { name = 'test', on = database } = {},
): Promise<TestTimers & Errors> {
  const errors: string[] = [];
  const note = (_: object, message: string): void => void errors.push(message);
  const timers = new TestTimers(on, clock, name, issue);
  const queueRunner = new QueueRunner(on, clock, [timers], { info: note, warn: note, error: note });
  await queueRunner.start();
  started.push(queueRunner);
  return Object.assign(timers, { errors });
}

const schedule = (timers: TestTimers, key: string, at: Instant, command: unknown = { key }): Promise<void> =>
  database.transaction((sql) => timers.schedule(sql, key, at, command));

const left = async (): Promise<string[]> =>
  (await database.query<{ key: string }>(`SELECT key FROM timers ORDER BY key`)).map(({ key }) => key);

describe('a timer', () => {
  it('is issued when it is due, not before, and then deleted', async () => {
    const issued: Timer[] = [];
    const timers = await start(async (timer) => void issued.push(timer));
    await schedule(timers, 'a', clock.in(60), { order: 'ring', list: [1] });
    await schedule(timers, 'b', clock.in(120));
    await clock.advance(59);
    expect(issued).toEqual([]);
    await clock.advance(1);
    expect(issued).toEqual([
      { key: 'a', dueAt: clock.now(), command: { order: 'ring', list: [1] }, attempts: 1 },
    ]);
    expect(await left()).toEqual(['b']);
    await clock.advance(60);
    expect(issued.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(await left()).toEqual([]);
  });

  it('that is already due is issued right after the commit, and not after a rollback', async () => {
    const issued: string[] = [];
    const timers = await start(async ({ key }) => void issued.push(key));
    await expect(
      database.transaction(async (sql) => {
        await timers.schedule(sql, 'lost', clock.now(), {});
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await schedule(timers, 'now', clock.now());
    await until(() => issued.length > 0);
    await clock.advance(1);
    expect(issued).toEqual(['now']);
  });

  it('that is set twice is one timer, moved when its time differs, and can be canceled', async () => {
    const issued: string[] = [];
    const timers = await start(
      async ({ key, command }) => void issued.push(`${key} ${JSON.stringify(command)}`),
    );
    await schedule(timers, 'a', clock.in(10), 1);
    await schedule(timers, 'a', clock.in(10), 1);
    await schedule(timers, 'b', clock.in(10), 1);
    await schedule(timers, 'b', clock.in(30), 2);
    await schedule(timers, 'c', clock.in(10), 1);
    await database.transaction((sql) => timers.cancel(sql, 'c'));
    await clock.advance(10);
    expect(issued).toEqual(['a 1']);
    await clock.advance(20);
    expect(issued).toEqual(['a 1', 'b 2']);
  });

  it('is not set again by a rebuild', async () => {
    const timers = await start(async () => {});
    await database.transaction((sql) =>
      timers.schedule({ query: sql.query, rebuilding: true }, 'a', clock.in(10), {}),
    );
    expect(await left()).toEqual([]);
  });
});

describe('many timers', () => {
  it('are all issued before a move of the clock ends, including those set by them', async () => {
    const issued: string[] = [];
    const timers: TestTimers = await start(async ({ key }) => {
      issued.push(key);
      if (key === 't 0') await schedule(timers, 'follows', clock.now());
    });
    for (let index = 0; index < 55; index += 1) await schedule(timers, `t ${index}`, clock.in(index));
    await clock.advance(60);
    expect(issued).toHaveLength(56);
    expect(await left()).toEqual([]);
  });

  it('are each issued once by concurrent replicas', async () => {
    const issued: string[] = [];
    const issue = async ({ key }: Timer): Promise<void> => {
      issued.push(key);
      await new Promise((resolve) => setImmediate(resolve));
    };
    const [timers] = [await start(issue), await start(issue), await start(issue)] as const;
    for (let index = 0; index < 100; index += 1) await schedule(timers, `t ${index}`, clock.in(5));
    await clock.advance(5);
    expect(issued).toHaveLength(100);
    expect(new Set(issued).size).toBe(100);
  });
});

describe('a command that fails', () => {
  it('is issued again after a pause', async () => {
    const issued: { attempts: number; atMs: number; left: string[] }[] = [];
    const timers = await start(async ({ attempts }) => {
      issued.push({ attempts, atMs: Date.now(), left: await left() });
      if (attempts < 2) throw new Error('not now');
    });
    await schedule(timers, 'a', clock.in(1));
    await clock.advance(1);
    await until(async () => (await left()).length === 0);
    const [first, second] = issued;
    expect(issued).toMatchObject([
      { attempts: 1, left: ['a'] },
      { attempts: 2, left: ['a'] },
    ]);
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(1_000);
    expect(timers.errors).toEqual(['A job failed: it is postponed or given up']);
  });

  it('is issued again by another process when the first one dies', async () => {
    const issued: string[] = [];
    const other = await open();
    // The first process leases the timer and never finishes.
    const dead = await start(
      async () => {
        issued.push('dead');
        await new Promise<never>(() => {});
      },
      { on: other },
    );
    await schedule(dead, 'a', clock.now());
    await until(() => issued.length === 1);
    await start(async ({ attempts }) => void issued.push(`alive ${attempts}`));
    expect(issued).toEqual(['dead']);
    await other.close();
    await until(() => issued.length === 2);
    expect(issued).toEqual(['dead', 'alive 2']);
    await until(async () => (await left()).length === 0);
  });

  it('is released without waiting for a locked row: a sweep skips locked rows, so that it cannot deadlock', async () => {
    const issued: string[] = [];
    const timers = new TestTimers(database, clock, 'test', async () => {});
    await schedule(timers, 'a', clock.now());
    await schedule(timers, 'b', clock.now());
    const nobody = 2_147_483_647;
    await database.query(`UPDATE timers SET owner = ${nobody}, owned_until = now() + interval '1 hour'`);
    await database.transaction(async (sql) => {
      await sql.query(`SELECT FROM timers WHERE key = 'a' FOR UPDATE`);
      await start(async ({ key }) => void issued.push(key));
      await until(() => issued.length > 0);
      expect(issued).toEqual(['b']);
    });
    await until(() => issued.length === 2);
  });

  it('is kept when its timer is set again while it is being issued', async () => {
    const issued: unknown[] = [];
    const timers: TestTimers = await start(async ({ command }) => {
      issued.push(command);
      if (command === 1) await schedule(timers, 'a', clock.in(10), 2);
    });
    await schedule(timers, 'a', clock.in(1), 1);
    await clock.advance(1);
    expect(issued).toEqual([1]);
    expect(await left()).toEqual(['a']);
    await clock.advance(10);
    expect(issued).toEqual([1, 2]);
  });
});

describe('a timer that is set and leased again while it is being issued', () => {
  interface Held {
    readonly command: unknown;
    /** Ends this `issue` call. */
    end(again?: Instant): void;
    fail(): void;
  }
  const held: Held[] = [];
  beforeEach(() => held.splice(0));
  const begin = async (): Promise<TestTimers> => {
    const timers = await start(
      ({ command }) =>
        new Promise((end, reject) => held.push({ command, end, fail: () => reject(new Error('no')) })),
    );
    await schedule(timers, 'a', clock.now(), 1);
    await until(() => held.length === 1);
    await schedule(timers, 'a', clock.now(), 2);
    await until(() => held.length === 2);
    return timers;
  };
  /** Waits until the first job has ended: it changes the row before it releases its capacity. */
  const isOneLeft = (timers: TestTimers) => until(() => timers.leased === 1);
  const row = async () => (await database.query(`SELECT * FROM timers`))[0];

  it('keeps its newer command when the older one is done', async () => {
    const timers = await begin();
    const before = await row();
    held[0]!.end();
    await isOneLeft(timers);
    expect(await row()).toEqual(before);
    // The newer command fails: it is retried, not lost.
    held[1]!.fail();
    await until(() => held.length === 3);
    expect(held[2]!.command).toBe(2);
    held[2]!.end();
    await until(async () => (await left()).length === 0);
  });

  it.each<[string, (one: Held) => void]>([
    ['is not postponed when its older command fails', (one) => one.fail()],
    ['is not moved when its older command asks to be issued again', (one) => one.end(clock.in(60))],
  ])('%s', async (_, over) => {
    const timers = await begin();
    const before = await row();
    over(held[0]!);
    await isOneLeft(timers);
    expect(await row()).toEqual(before);
    held[1]!.end();
    await until(async () => (await left()).length === 0);
  });
});

describe('a timer whose `issue` returns a time', () => {
  it('is issued again at that time, each time', async () => {
    const issued: number[] = [];
    const timers = await start(async ({ attempts }) => {
      issued.push(attempts);
      return issued.length < 3 ? clock.in(10) : undefined;
    });
    await schedule(timers, 'a', clock.now());
    await until(() => issued.length === 1);
    await clock.advance(9);
    expect(issued).toEqual([1]);
    await clock.advance(1);
    await clock.advance(10);
    expect(issued).toEqual([1, 1, 1]);
    expect(await left()).toEqual([]);
  });
});

describe('two queues of one service', () => {
  it('with the same keys never lease, move or delete each other’s timers', async () => {
    const issued: string[] = [];
    const calls = await start(async ({ key }) => void issued.push(`call ${key}`), { name: 'calls' });
    const mails = await start(async ({ key }) => void issued.push(`mail ${key}`), { name: 'mails' });
    await schedule(calls, 'a', clock.in(10));
    await schedule(mails, 'a', clock.in(20));
    await schedule(mails, 'b', clock.in(10));
    await database.transaction((sql) => mails.cancel(sql, 'b'));
    await clock.advance(10);
    expect(issued).toEqual(['call a']);
    await clock.advance(10);
    expect(issued).toEqual(['call a', 'mail a']);
    expect(await left()).toEqual([]);
  });
});
