import { type Recorded, Refused } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { startPostgres } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Database } from './database';
import type { EventStore } from './event-store';
import { newEvent, until } from './event-store.contract.spec';
import { Feed } from './feed';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';
import { Lease, Leases } from './leases';
import type { Migration } from './migrate';
import { baseMigrations } from './migrations';
import { throwRowsAway } from './new-rows';
import { ignore, inBatch, type On } from './on';
import { Projection } from './projection';
import type { AnyProjection } from './selection';
import { Projections } from './projections';
import type { Sql } from './sql';

const ringsTables: Migration = {
  name: 'Rings1763600000001',
  phase: 'expand',
  statements: [
    `CREATE TABLE rings (id text PRIMARY KEY, bell text NOT NULL, position numeric NOT NULL)`,
    `CREATE INDEX rings_by_bell ON rings (bell, position DESC) WHERE bell <> ''`,
    `CREATE INDEX rings_by_position ON rings (position)`,
    `CREATE TABLE bells (bell text PRIMARY KEY, rung integer NOT NULL CHECK (rung > 0))`,
  ],
};

interface Rung {
  readonly type: 'Rung';
  readonly bell: string;
}

interface Bells {
  readonly bell: Rung | { readonly type: 'Oiled' };
}

const onRings = { bell: { Rung: inBatch, Oiled: ignore } } satisfies On<Bells>;
const onNothing = { bell: { Rung: ignore, Oiled: ignore } } satisfies On<Bells>;

/** Counts events, so that a duplicate or missing one is detected. */
class Rings extends Projection<Bells, typeof onRings> {
  readonly name: string = 'rings';
  readonly tables = ['rings', 'bells'];
  readonly on = onRings;
  readonly told: string[] = [];
  batches = 0;
  biggest = 0;

  override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
    this.batches += 1;
    this.biggest = Math.max(this.biggest, events.length);
    const bells = events.map(({ event }) => event.bell);
    await sql.query(
      `INSERT INTO rings (id, bell, position) SELECT * FROM unnest($1::text[], $2::text[], $3::numeric[])`,
      [events.map(({ id }) => id), bells, events.map(({ position }) => String(position))],
    );
    await sql.query(
      `INSERT INTO bells AS b (bell, rung) SELECT bell, count(*) FROM unnest($1::text[]) AS n(bell) GROUP BY bell
       ON CONFLICT (bell) DO UPDATE SET rung = b.rung + excluded.rung`,
      [bells],
    );
  }

  override committed(events: readonly Recorded<Rung>[]): void {
    this.told.push(...events.map(({ id }) => id));
  }
}

/** Has no rows, only a checkpoint. */
class Oilings extends Projection<Bells, typeof onNothing> {
  readonly tables = [];
  readonly on = onNothing;

  constructor(readonly name: string) {
    super();
  }
}

const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);

class Lines {
  readonly errors: Record<string, unknown>[] = [];
  readonly infos: string[] = [];
  info = (_: object, message: string): void => void this.infos.push(message);
  warn = this.info;
  error = (fields: object, message: string): void => void this.errors.push({ ...fields, message });
}

let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

let schemas = 0;

/** An in-memory log and a schema of its own; replicas share both. */
class Bench {
  /** Releases everything that a test blocks, so that a failed test ends. */
  readonly release: (() => void)[] = [];
  /** How long ago new events happened. */
  agoMs = 0;
  readonly store: EventStore = inMemoryEventStore(() => Date.now() - this.agoMs);
  readonly schema = `bench_${(schemas += 1)}`;
  private readonly open: (() => Promise<void>)[] = [];

  async replica(
    projection: AnyProjection | readonly AnyProjection[] = new Rings(),
    change: (feed: Feed) => Feed = (feed) => feed,
    lagMs?: number,
  ): Promise<{ projections: Projections; database: Database; lines: Lines; stop(): Promise<void> }> {
    const database = await Database.open({
      url: postgres.url,
      schema: this.schema,
      migrations: [ringsTables],
      poolSize: 4,
    });
    const log = new Log(this.store, Keys.fromRing(ring, this.store));
    const feed = Feed.of(log);
    const lines = new Lines();
    const projections = new Projections(database, log, change(feed), [projection].flat(), lines, {
      ...(lagMs !== undefined && { lagMs }),
    });
    let stopped = false;
    const stop = async (): Promise<void> => {
      if (stopped) return;
      stopped = true;
      await projections.stop();
      await feed.close();
      await database.close();
    };
    this.open.push(stop);
    return { projections, database, lines, stop };
  }

  async ring(bell: string, count = 1): Promise<string> {
    const events = Array.from({ length: count }, () => newEvent('Rung', { bell }));
    const { position } = await this.store.append(`bell-${bell}`, events, 'any');
    return String(position);
  }

  async close(): Promise<void> {
    for (const release of this.release) release();
    for (const stop of this.open) await stop();
  }
}

const rung = async (database: Database): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await database.query<{ bell: string; rung: number }>(`SELECT bell, rung FROM bells ORDER BY bell`)).map(
      (row) => [row.bell, row.rung],
    ),
  );

const dump = async (database: Database): Promise<unknown> => ({
  rings: await database.query(`SELECT * FROM rings ORDER BY position, id`),
  bells: await database.query(`SELECT * FROM bells ORDER BY bell`),
});

/** Others can take the leases at once; the holder finds out when it renews them. */
const endLeases = (database: Database): Promise<unknown> => database.query(`DELETE FROM leases`);

/** Records the statements outside of transactions, from now on. */
function recorded(database: Database): string[] {
  const statements: string[] = [];
  const query = database.query.bind(database);
  database.query = (text, parameters) => {
    statements.push(text);
    return query(text, parameters);
  };
  return statements;
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

describe('a projection', () => {
  it('applies old and new events in batches, and calls `committed` after the commit', async () => {
    await bench.ring('old', 1_200);
    const rings = new Rings();
    const { projections, database, lines } = await bench.replica(rings);
    await projections.start();
    await projections.reached('rings', await bench.ring('new'));
    expect(await rung(database)).toEqual({ new: 1, old: 1_200 });
    expect(rings.biggest).toBe(500);
    await until(() => rings.told.length === 1_201);
    expect(projections.lag('rings')).toBe(0n);
    expect(lines.errors).toEqual([]);
  });

  it('continues from its checkpoint after a restart', async () => {
    const first = await bench.replica();
    await first.projections.start();
    await first.projections.reached('rings', await bench.ring('one', 3));
    await first.stop();
    await bench.ring('one', 2);
    const second = await bench.replica();
    await second.projections.start();
    await second.projections.reached('rings', await bench.ring('one'));
    expect(await rung(second.database)).toEqual({ one: 6 });
  });

  it('is at a position that the log does not have as soon as it is at its end', async () => {
    const { projections, database } = await bench.replica();
    await projections.start();
    await projections.reached('rings');
    const end = BigInt(await bench.ring('one', 2));
    await projections.reached('rings', String(end));
    for (const ahead of [end + 1_000n, 99_999_999_999_999_999_999n])
      await projections.reached('rings', String(ahead));
    expect(await rung(database)).toEqual({ one: 2 });
    await expect(projections.reached('strangers')).rejects.toThrow('no projection named strangers');
  });

  it('advances over events that it does not follow, and stores its checkpoint soon', async () => {
    const { projections, database } = await bench.replica();
    await projections.start();
    const { position } = await bench.store.append('clock-1', [newEvent('Struck')], 'any');
    await bench.store.append('bell-1', [newEvent('Oiled')], 'any');
    await projections.reached('rings', String(position));
    const head = await bench.store.head();
    await until(async () => {
      const [row] = await database.query<{ position: string }>(`SELECT position FROM projection_checkpoints`);
      return BigInt(row!.position) === head;
    });
  });

  it('stores its checkpoint together with those of its service when no event concerns them', async () => {
    const several = ['one', 'two', 'three', 'four'].map((name) => new Oilings(name));
    const { projections, database } = await bench.replica(several);
    await projections.start();
    await projections.reached('four', await bench.ring('one'));
    const statements = recorded(database);
    for (let event = 0; event < 50; event += 1) await projections.reached('four', await bench.ring('one'));
    const head = await bench.store.head();
    await until(() => statements.length > 0);
    await until(async () => {
      const rows = await database.query<{ position: string }>(`SELECT position FROM projection_checkpoints`);
      return rows.length === 4 && rows.every(({ position }) => BigInt(position) === head);
    });
    const moves = statements.filter((text) => text.includes('SET position'));
    expect(moves.length).toBeLessThan(50);
    expect(moves.filter((text) => !text.includes('unnest'))).toEqual([]);
  });

  it('that is idle detects that another process moved its checkpoint', async () => {
    const { projections, database, lines } = await bench.replica();
    await projections.start();
    await projections.reached('rings', await bench.ring('one', 3));
    await projections.rebuild('rings');
    // As after a rebuild that read events which concern no projection.
    const { position } = await bench.store.append('clock-1', [newEvent('Struck')], 'any');
    await database.query(`UPDATE projection_checkpoints SET position = $1`, [String(position)]);
    await bench.store.append('clock-1', [newEvent('Struck')], 'any');
    await until(() =>
      lines.infos.includes('Another process moved the checkpoint of a projection: following from there'),
    );
    await until(() =>
      projections.reached('rings').then(
        () => true,
        () => false,
      ),
    );
    await projections.reached('rings', await bench.ring('one'));
    expect(await rung(database)).toEqual({ one: 4 });
    expect(lines.errors).toEqual([]);
  });

  it('advances over events that do not concern it without applying any', async () => {
    const loud = new (class extends Rings {
      override concerns({ event }: Recorded): boolean {
        return (event as Rung).bell !== 'mute';
      }
    })();
    const { projections, database } = await bench.replica(loud);
    await projections.start();
    await projections.reached('rings', await bench.ring('mute', 3));
    expect(loud.batches).toBe(0);
    await projections.reached('rings', await bench.ring('loud'));
    expect(await rung(database)).toEqual({ loud: 1 });
    expect(loud.batches).toBe(1);
  });

  it('applies many events in few transactions when they come together', async () => {
    const rings = new Rings();
    const { projections } = await bench.replica(rings);
    await projections.start();
    const count = 600;
    await Promise.all(Array.from({ length: count }, () => bench.ring('one')));
    while (rings.told.length < count) await nextTurn();
    expect(rings.batches).toBeLessThan(count / 4);
  });

  it('that is immediate debounces events that are not urgent', async () => {
    class Doors extends Rings {
      override readonly immediate = true;
      override urgent({ event }: Recorded<Rung>): boolean {
        return event.bell === 'door';
      }
    }
    const doors = new Doors();
    const { projections } = await bench.replica(doors);
    await projections.start();
    await bench.ring('clock');
    await until(() => doors.told.length === 1);
    for (let hour = 1; hour <= 12; hour += 1) {
      await bench.ring('clock');
      await nextTurn();
    }
    await bench.ring('door');
    await until(() => doors.told.length === 14);
    expect(doors.batches).toBeLessThan(7);
  });

  it('stops at an unknown event of its categories, and logs an error', async () => {
    const { projections, database, lines } = await bench.replica();
    await projections.start();
    await projections.reached('rings', await bench.ring('one'));
    await bench.store.append('bell-one', [newEvent('Melted')], 'any');
    const after = await bench.ring('one');
    await expect(projections.reached('rings', after)).rejects.toBeInstanceOf(Refused);
    expect(lines.errors).toHaveLength(1);
    expect(lines.errors[0]).toMatchObject({ projection: 'rings', type: 'Melted', stream: 'bell-one' });
    expect(await rung(database)).toEqual({ one: 1 });
  });

  it('retries when applying fails, and skips no event', async () => {
    let failures = 3;
    class Clumsy extends Rings {
      override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
        await super.apply(sql, events);
        if ((failures -= 1) >= 0) await sql.query(`SELECT 1 / 0`);
      }
    }
    const { projections, database, lines } = await bench.replica(new Clumsy());
    await projections.start();
    await projections.reached('rings', await bench.ring('one', 4));
    expect(await rung(database)).toEqual({ one: 4 });
    expect(lines.errors).toHaveLength(3);
    expect(lines.errors[0]).toMatchObject({ projection: 'rings', position: '0' });
  });

  it('survives the loss of all its connections', async () => {
    const { projections, database } = await bench.replica();
    await projections.start();
    await projections.reached('rings', await bench.ring('one'));
    await database
      .query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`,
        [`carillon ${bench.schema}`],
      )
      .catch(() => {});
    const position = await bench.ring('one');
    await until(() =>
      projections.reached('rings', position).then(
        () => true,
        () => false,
      ),
    );
    expect(await rung(database)).toEqual({ one: 2 });
  });
});

/** Blocks the projection's transactions while it is closed. */
class Gated extends Rings {
  private shut: Promise<void> | undefined;
  open = (): void => {};

  close(): void {
    this.shut = new Promise((resolve) => {
      this.open = () => {
        this.shut = undefined;
        resolve();
      };
    });
    bench.release.push(() => this.open());
  }

  override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
    await this.shut;
    await super.apply(sql, events);
  }
}

const behind = { reason: 'projection.behind' };

describe('rows that are behind', () => {
  it('are not current until they have caught up once', async () => {
    await bench.ring('old', 3);
    const rings = new Gated();
    rings.close();
    const passive = new Rings();
    const active = await bench.replica(rings);
    await active.projections.start();
    const other = await bench.replica(passive);
    await other.projections.start();
    for (const { projections } of [active, other]) {
      await expect(projections.current('rings')).rejects.toMatchObject(behind);
      expect(projections.statuses()).toMatchObject([
        { projection: 'rings', current: false, percent: 0, reason: 'has not caught up with the log yet' },
      ]);
    }
    const waiting = active.projections.current('rings');
    rings.open();
    await waiting;
    for (const { projections } of [active, other]) {
      await projections.current('rings');
      expect(projections.statuses()).toEqual([
        expect.objectContaining({ projection: 'rings', current: true, percent: 100 }),
      ]);
    }
  });

  it('are not current after too long a lag, on the active and the passive replica, and are current again afterwards', async () => {
    const rings = new Gated();
    const active = await bench.replica(rings, undefined, 500);
    await active.projections.start();
    const passive = await bench.replica(new Rings(), undefined, 500);
    await passive.projections.start();
    await active.projections.reached('rings', await bench.ring('one'));
    await passive.projections.current('rings');
    rings.close();
    const position = await bench.ring('one');
    for (const { projections } of [active, passive]) {
      await until(() => projections.lag('rings') > 0n);
      await expect(projections.abreast('rings')).rejects.toMatchObject(behind);
      await until(() =>
        projections.current('rings').then(
          () => false,
          () => true,
        ),
      );
      expect(projections.statuses()).toMatchObject([
        { current: false, reason: 'is more than 0.5 s behind the log' },
      ]);
    }
    rings.open();
    for (const { projections } of [active, passive]) {
      await until(() => projections.has('rings', BigInt(position)));
      await projections.reached('rings', position);
      await projections.abreast('rings');
    }
  });

  it('report their lag in events and seconds while they are blocked', async () => {
    await bench.ring('old', 20);
    const rings = new Gated();
    const { projections } = await bench.replica(rings);
    await projections.start();
    await projections.current('rings');
    const [abreast] = projections.lags();
    const at = { projection: 'rings', current: true, active: true, setAside: 0, filling: false };
    expect(abreast).toEqual({ ...at, events: 0, seconds: 0 });
    rings.close();
    await bench.ring('one', 3);
    await until(() => projections.lags()[0]?.events === 3);
    const [{ seconds: before = 0 } = {}] = projections.lags();
    await until(() => (projections.lags()[0]?.seconds ?? 0) > before);
    rings.open();
    await until(() => projections.lags()[0]?.events === 0);
  });

  it('stop at an unknown event, and report it', async () => {
    const { projections } = await bench.replica();
    await projections.start();
    await projections.reached('rings', await bench.ring('one'));
    const { position } = await bench.store.append('bell-1', [newEvent('Melted')], 'any');
    await until(() => !projections.statuses()[0]!.current);
    expect(projections.statuses()[0]!.reason).toBe(
      `has stopped at an event that it does not know: Melted at ${position}`,
    );
  });

  it('are not blocked by an unreadable event, but by an event that fails to apply', async () => {
    const { projections, database, lines } = await bench.replica();
    await projections.start();
    await bench.store.append('bell-1', [{ ...newEvent('Rung'), data: 'garbage' }], 'any');
    await projections.reached('rings', await bench.ring('one', 2));
    expect(await rung(database)).toEqual({ one: 2 });
    // A failing event among many: the events before it are applied, and the log names its position.
    await bench.ring('before', 20);
    const before = await bench.store.head();
    await bench.store.append('bell-1', [newEvent('Rung', { bell: null })], 'any');
    await bench.ring('after');
    await until(() => lines.errors.at(-1)?.['position'] === String(before));
    expect(await rung(database)).toEqual({ one: 2, before: 20 });
  });

  it('report that they belong to another log, and which command helps', async () => {
    await bench.ring('one', 3);
    const first = await bench.replica();
    await first.projections.start();
    await first.projections.current('rings');
    await first.database.query(`UPDATE projection_checkpoints SET position = position + 5000`);
    await first.stop();
    const replicas = [await bench.replica(), await bench.replica()];
    for (const { projections } of replicas) {
      await projections.start();
      await expect(projections.current('rings')).rejects.toMatchObject(behind);
      await until(() => projections.statuses()[0]!.reason?.includes('another log') ?? false);
      expect(projections.statuses()[0]!.reason).toContain('--new-rows');
    }
    await bench.ring('two');
    await replicas[0]!.projections.rebuild('rings');
    for (const { projections } of replicas) {
      await until(() => projections.statuses()[0]!.current);
      await projections.reached('rings', await bench.ring('two'));
    }
    expect(await rung(replicas[0]!.database)).toEqual({ one: 3, two: 3 });
  });

  it('report this also when the log has no event at their position', async () => {
    await bench.ring('one', 3);
    const { projections, database, stop } = await bench.replica();
    await projections.start();
    await projections.current('rings');
    await database.query(`UPDATE projection_checkpoints SET position = position - 1`);
    await stop();
    const again = await bench.replica();
    await again.projections.start();
    await until(() => again.projections.statuses()[0]!.reason?.includes('--new-rows') ?? false);
    await expect(again.projections.current('rings')).rejects.toMatchObject(behind);
  });

  it('are compared with the log at the start, which is read once for all projections', async () => {
    const several = ['one', 'two', 'three', 'four'].map((name) => new Oilings(name));
    const { store } = bench;
    const end = await bench.ring('one', 3);
    const first = await bench.replica(several);
    await first.projections.start();
    const stored = `SELECT 1 FROM projection_checkpoints WHERE position = $1`;
    await until(async () => (await first.database.query(stored, [end])).length === several.length);
    await first.stop();
    const readAll = store.readAll.bind(store);
    let reads = 0;
    store.readAll = (after, count) => {
      reads += 1;
      return readAll(after, count);
    };
    const again = await bench.replica(several);
    await again.projections.start();
    await again.projections.caughtUpOnce();
    await again.projections.reached('four', await bench.ring('one'));
    // One read for the end of the log, and one to check that the common position exists.
    expect(reads).toBe(2);
  });

  it('report the kind of a failure, without any data', async () => {
    await bench.ring('one');
    class Clumsy extends Rings {
      override async apply(sql: Sql): Promise<void> {
        await sql.query(`SELECT 'secret'::integer`);
      }
    }
    const { projections } = await bench.replica(new Clumsy());
    await projections.start();
    await until(() => projections.statuses()[0]!.reason?.startsWith('cannot go on') ?? false);
    expect(projections.statuses()[0]!.reason).toBe('cannot go on: error 22P02');
  });
});

describe('rows that Postgres has lost', () => {
  it('are applied again, and readers on both replicas wait for them', async () => {
    const active = await bench.replica();
    const passive = await bench.replica();
    const replicas = [active, passive];
    for (const { projections } of replicas) await projections.start();
    const kept = await bench.ring('one', 3);
    for (const { projections } of replicas) await projections.reached('rings', kept);
    const old = await dump(active.database);
    const position = await bench.ring('one', 4);
    for (const { projections } of replicas) await projections.reached('rings', position);
    const whole = await dump(active.database);

    // As when a replica takes over that lacks the newest commits: rows and checkpoint are those of before, and every
    // connection breaks. The table is held, so that the rows do not come back at once.
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    bench.release.push(() => void admin.end());
    await admin.query(`SET search_path = ${bench.schema}`);
    await admin.query(`UPDATE projection_checkpoints SET position = ${kept}`);
    await admin.query(`DELETE FROM rings WHERE position > ${kept}`);
    await admin.query(`UPDATE bells SET rung = 3`);
    await admin.query(`BEGIN; LOCK TABLE bells IN SHARE ROW EXCLUSIVE MODE`);
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`, [
      `carillon ${bench.schema}`,
    ]);
    for (const { projections, database } of replicas) {
      await until(() => database.losses > 0);
      expect(projections.has('rings', BigInt(position))).toBe(false);
      // The first queries find their connections broken.
      await until(() =>
        database.query('SELECT 1').then(
          () => true,
          () => false,
        ),
      );
      await expect(projections.reached('rings', position)).rejects.toMatchObject(behind);
      await expect(projections.current('rings')).rejects.toMatchObject(behind);
      expect(projections.statuses()[0]).toMatchObject({ current: false });
      expect(await dump(database)).toEqual(old);
    }

    const read = replicas.map(async ({ projections, database }) => {
      await projections.reached('rings', position);
      return dump(database);
    });
    await admin.query('COMMIT');
    expect(await Promise.all(read)).toEqual([whole, whole]);
    for (const { projections, lines } of replicas) {
      await projections.reached('rings', await bench.ring('two'));
      expect(lines.errors).toEqual([]);
    }
    expect(await rung(active.database)).toEqual({ one: 7, two: 2 });
  }, 60_000);
});

describe('projections of one service', () => {
  /** Writes no rows, and fails at a broken bell. */
  class Tally extends Rings {
    override readonly tables = [];
    readonly counted: string[] = [];

    constructor(
      override readonly name: string,
      private readonly broken = '',
    ) {
      super();
    }

    override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
      await sql.query('SELECT 1');
      if (events.some(({ event }) => event.bell === this.broken)) throw new Error('The bell is broken');
      this.counted.push(...events.map(({ event }) => event.bell));
    }
  }

  it('share one transaction for the same event', async () => {
    const tallies = [new Tally('first'), new Tally('second')];
    const { projections, database } = await bench.replica([new Rings(), ...tallies]);
    await projections.start();
    const transactions = async (): Promise<number> =>
      (await database.query(`SELECT DISTINCT xmin::text FROM projection_checkpoints`)).length;
    const names = ['rings', 'first', 'second'];
    for (const bell of ['one', 'two']) {
      const position = await bench.ring(bell, 3);
      await Promise.all(names.map((name) => projections.reached(name, position)));
    }
    expect(await transactions()).toBe(1);
    expect(await rung(database)).toEqual({ one: 3, two: 3 });
    for (const { counted } of tallies) expect(counted).toHaveLength(6);
  });

  it('continue without a failing one, and apply no event twice', async () => {
    const rings = new Rings();
    const broken = new Tally('broken', 'cracked');
    const { projections, database, lines } = await bench.replica([rings, broken, new Tally('sound')]);
    await projections.start();
    const begun = await bench.ring('one');
    await Promise.all(['rings', 'broken', 'sound'].map((name) => projections.reached(name, begun)));
    for (const bell of ['cracked', 'two', 'two']) {
      const position = await bench.ring(bell);
      await Promise.all(['rings', 'sound'].map((name) => projections.reached(name, position)));
    }
    expect(await rung(database)).toEqual({ one: 1, cracked: 1, two: 2 });
    expect(rings.told).toHaveLength(4);
    expect(broken.counted).toEqual(['one']);
    expect(lines.errors.every(({ projection }) => projection === 'broken')).toBe(true);
  });

  it('do not wait for one that is being rebuilt', async () => {
    const { projections, database } = await bench.replica([new Rings(), new Tally('held')]);
    await projections.start();
    const begun = await bench.ring('one');
    await Promise.all(['rings', 'held'].map((name) => projections.reached(name, begun)));
    const holder = await database.connect();
    let position = '';
    try {
      await holder.query(`BEGIN; SELECT 1 FROM projection_checkpoints WHERE name = 'held' FOR UPDATE`);
      position = await bench.ring('two');
      await projections.reached('rings', position);
      expect(projections.has('held', BigInt(position))).toBe(false);
    } finally {
      await holder.end();
    }
    await projections.reached('held', position);
    expect(await rung(database)).toEqual({ one: 1, two: 1 });
  });

  it('continue when another process moved the checkpoint of one, and so does that one', async () => {
    const { projections, database, lines } = await bench.replica([new Rings(), new Tally('other')]);
    await projections.start();
    const begun = await bench.ring('one');
    await Promise.all(['rings', 'other'].map((name) => projections.reached(name, begun)));
    await database.query(`UPDATE projection_checkpoints SET position = 0 WHERE name = 'other'`);
    const position = await bench.ring('two');
    await projections.reached('rings', position);
    await until(() =>
      lines.infos.includes('Another process moved the checkpoint of a projection: following from there'),
    );
    await until(async () => {
      const [row] = await database.query(`SELECT position FROM projection_checkpoints WHERE name = 'other'`);
      return row!.position === position;
    });
    expect(await rung(database)).toEqual({ one: 1, two: 1 });
    expect(lines.errors).toEqual([]);
  });
});

describe('several replicas', () => {
  it('apply each event once, and all know the position of the active one', async () => {
    const replicas = [await bench.replica(), await bench.replica(), await bench.replica()];
    for (const { projections } of replicas) await projections.start();
    for (let round = 1; round <= 10; round += 1) {
      const position = await bench.ring('one', 3);
      for (const { projections, database } of replicas) {
        await projections.reached('rings', position);
        expect((await rung(database))['one']).toBeGreaterThanOrEqual(round * 3);
      }
    }
    expect(await rung(replicas[0]!.database)).toEqual({ one: 30 });
  });

  it('need no stored checkpoint for events that concern no projection', async () => {
    const active = await bench.replica();
    await active.projections.start();
    await active.projections.reached('rings', await bench.ring('one'));
    const passive = await bench.replica();
    await passive.projections.start();
    await passive.projections.reached('rings');
    const [before] = await passive.database.query(`SELECT position FROM projection_checkpoints FOR UPDATE`);
    // Locked, so that the checkpoint cannot be stored.
    const holder = await passive.database.connect();
    try {
      await holder.query(`BEGIN; SELECT 1 FROM projection_checkpoints FOR UPDATE`);
      const { position } = await bench.store.append('clock-1', [newEvent('Struck')], 'any');
      for (const { projections } of [active, passive]) await projections.reached('rings', String(position));
      expect(await passive.database.query(`SELECT position FROM projection_checkpoints`)).toEqual([before]);
    } finally {
      await holder.end();
    }
  });

  it('take over when the active one has lost its lease', async () => {
    // The first replica gets no more events, like a process that was cut off.
    const cutOff = new AbortController();
    const first = await bench.replica(new Rings(), (feed) =>
      changed(feed, {
        next: async (...asked) => {
          const batch = await feed.next(...asked);
          if (cutOff.signal.aborted) await new Promise<void>((resolve) => (release = resolve));
          return batch;
        },
      }),
    );
    let release = (): void => {};
    bench.release.push(() => release());
    await first.projections.start();
    await first.projections.reached('rings', await bench.ring('one'));
    const second = await bench.replica();
    await second.projections.start();
    cutOff.abort();
    await endLeases(first.database);
    const position = await bench.ring('one');
    await until(
      () =>
        second.projections.reached('rings', position).then(
          () => true,
          () => false,
        ),
      30_000,
    );
    expect(await rung(second.database)).toEqual({ one: 2 });
    release();
    await first.stop();
    expect(await rung(second.database)).toEqual({ one: 2 });
  });

  it('that both believe to be active do not apply an event twice, in either order', async () => {
    for (const lateOne of ['before its transaction', 'inside its transaction']) {
      const bell = lateOne;
      let open = (): void => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      bench.release.push(open);
      let waiting = false;
      const wait = async (): Promise<void> => {
        waiting = true;
        await gate;
      };
      class Slow extends Rings {
        override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
          await super.apply(sql, events);
          if (lateOne === 'inside its transaction') await wait();
        }
      }
      const first = await bench.replica(new Slow(), (feed) =>
        changed(feed, {
          next: async (...asked) => {
            const batch = await feed.next(...asked);
            if (lateOne === 'before its transaction' && batch.events.length > 0) await wait();
            return batch;
          },
        }),
      );
      // It never learns that its lease is over.
      const lease = new Lease(Infinity);
      Object.assign(Leases.of(first.database), { take: () => Promise.resolve(lease) });
      await first.projections.start();
      const position = await bench.ring(bell, 5);
      await until(() => waiting);
      const rings = new Rings();
      const second = await bench.replica(rings);
      await second.projections.start();
      if (lateOne === 'before its transaction') await second.projections.reached('rings', position);
      else await until(async () => (await waitingForRow(second.database)) > 0);
      open();
      // The second replica finds the checkpoint moved.
      const loser = lateOne === 'before its transaction' ? first : second;
      await until(() =>
        loser.lines.infos.includes(
          'Another process moved the checkpoint of a projection: following from there',
        ),
      );
      await first.stop();
      await second.projections.reached('rings', await bench.ring(bell));
      expect((await rung(second.database))[bell]).toBe(6);
      expect(second.lines.errors).toEqual([]);
      expect(
        first.lines.errors.filter(
          ({ message }) => message === 'A projection failed to apply events: trying again',
        ),
      ).toEqual([]);
      await second.stop();
    }
  });
});

/** The same feed with one method replaced. */
const changed = (feed: Feed, change: Partial<Pick<Feed, 'next'>>): Feed =>
  Object.assign(
    Object.create(feed, { position: { get: () => feed.position }, closed: { get: () => feed.closed } }),
    change,
  ) as Feed;

const waitingForRow = async (database: Database): Promise<number> => {
  const [row] = await database.query<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = $1`,
    [`carillon ${database.schema}`],
  );
  return Number(row!.count);
};

/** Its rows have other names. */
class LongerRings extends Rings {
  override readonly version: number = 2;

  override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
    await super.apply(
      sql,
      events.map((recorded) => ({
        ...recorded,
        event: { ...recorded.event, bell: `${recorded.event.bell}!` },
      })),
    );
  }
}

const stored = async (database: Database): Promise<{ rows_version: number; is_complete: boolean }> =>
  (
    await database.query(`SELECT rows_version, is_complete FROM projection_checkpoints WHERE name = 'rings'`)
  )[0];

describe('rows of another version', () => {
  it('are rebuilt beside those, which are served until then; older replicas leave the new rows alone', async () => {
    const old = await bench.replica();
    await old.projections.start();
    await old.projections.reached('rings', await bench.ring('one', 1_200));
    let hold = (): void => {};
    const held = new Promise<void>((resolve) => (hold = resolve));
    bench.release.push(() => hold());
    const slow = new (class extends LongerRings {
      override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
        if (sql.rebuilding) await held;
        await super.apply(sql, events);
      }
    })();
    const next = await bench.replica(slow);
    await next.projections.start();
    await next.projections.reached('rings', await bench.ring('two', 2));
    await until(() => next.projections.lags()[0]!.filling);
    expect(await rung(next.database)).toEqual({ one: 1_200, two: 2 });
    expect(next.projections.statuses()[0]).toMatchObject({ current: true, filling: false });

    hold();
    await until(async () => (await stored(next.database)).rows_version === 2);
    for (let each = 0; each < 20; each += 1) {
      await old.projections.reached('rings', await bench.ring('three'));
      await next.projections.reached('rings', await bench.ring('three'));
    }
    expect(await rung(old.database)).toEqual({ 'one!': 1_200, 'two!': 2, 'three!': 40 });
    expect(next.projections.lags()[0]).toMatchObject({ active: true, filling: false });
    expect(old.projections.lags()[0]).toMatchObject({ active: false });
    expect([...old.lines.errors, ...next.lines.errors]).toEqual([]);
  }, 30_000);

  it('that are newer are rebuilt when no replica of their version is left', async () => {
    const next = await bench.replica(new LongerRings());
    await next.projections.start();
    await next.projections.reached('rings', await bench.ring('one', 3));
    const old = await bench.replica();
    await old.projections.start();
    await until(async () => (await stored(old.database)).is_complete);
    expect(await rung(old.database)).toEqual({ 'one!': 3 });
    await next.stop();
    await until(async () => (await stored(old.database)).rows_version === 1);
    await old.projections.reached('rings', await bench.ring('one'));
    expect(await rung(old.database)).toEqual({ one: 4 });
    expect(old.lines.errors).toEqual([]);
  }, 30_000);

  it('are rebuilt again after a failure', async () => {
    const old = await bench.replica();
    await old.projections.start();
    await old.projections.reached('rings', await bench.ring('one', 3));
    await old.stop();
    let failures = 1;
    const next = await bench.replica(
      new (class extends LongerRings {
        override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
          if (sql.rebuilding && failures-- > 0) throw new Error('no');
          await super.apply(sql, events);
        }
      })(),
    );
    await next.projections.start();
    await until(async () => (await stored(next.database)).rows_version === 2);
    expect(await rung(next.database)).toEqual({ 'one!': 3 });
    expect(next.lines.infos).toContain('A projection failed to rebuild its rows: trying again');
  }, 30_000);
});

describe('a new projection', () => {
  /** Rings that apply nothing before their release. */
  const heldRings = (): { rings: Rings; release: () => void } => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    bench.release.push(() => release());
    const rings = new (class extends Rings {
      override async apply(sql: Sql, events: readonly Recorded<Rung>[]): Promise<void> {
        await held;
        await super.apply(sql, events);
      }
    })();
    return { rings, release };
  };

  it('beside served ones leaves the service ready while it fills, also after a restart', async () => {
    const before = await bench.replica(new Oilings('oilings'));
    await before.projections.start();
    await bench.ring('one', 1_200);
    await until(async () => {
      const [row] = await before.database.query(`SELECT is_complete FROM projection_checkpoints`);
      return row?.is_complete;
    });
    await before.stop();
    const { rings: filled, release } = heldRings();
    const { projections, database } = await bench.replica([new Oilings('oilings'), filled]);
    await projections.start();
    await projections.caughtUpOnce();
    const [oilings, rings] = projections.statuses();
    expect(oilings).toMatchObject({ current: true, filling: false });
    expect(rings).toMatchObject({ projection: 'rings', current: false, filling: true });
    await expect(projections.reached('rings')).rejects.toBeInstanceOf(Refused);
    release();
    await until(async () => (await stored(database)).is_complete);
    expect(projections.statuses()[1]).toMatchObject({ current: true, filling: false });
    expect(await rung(database)).toEqual({ one: 1_200 });
  }, 30_000);

  it('is waited for where all rows are made anew, though another one is complete first', async () => {
    await bench.ring('one', 1_200);
    const { rings: late, release } = heldRings();
    const { projections, database } = await bench.replica([new Oilings('oilings'), late]);
    await projections.start();
    await until(async () => {
      const [oilings] = await database.query(
        `SELECT is_complete FROM projection_checkpoints WHERE name = 'oilings'`,
      );
      return oilings?.is_complete;
    });
    expect(projections.statuses().map(({ filling }) => filling)).toEqual([false, false]);
    let isReady = false;
    const ready = projections.caughtUpOnce().then(() => (isReady = true));
    await sleep(300);
    expect(isReady).toBe(false);
    release();
    await ready;
    expect(await rung(database)).toEqual({ one: 1_200 });
  }, 30_000);

  it('is waited for where nothing was served before', async () => {
    await bench.ring('one', 3);
    const { projections } = await bench.replica([new Oilings('oilings'), new Rings()]);
    expect(projections.statuses().map(({ filling }) => filling)).toEqual([false, false]);
    await projections.start();
    await projections.caughtUpOnce();
    expect(projections.statuses().map(({ current }) => current)).toEqual([true, true]);
  });
});

describe('a rebuild', () => {
  const indexNames = (database: Database): Promise<unknown> =>
    database.query(
      `SELECT tablename, indexname, regexp_replace(indexdef, '^.* USING ', '') AS definition FROM pg_indexes
       WHERE schemaname = $1 ORDER BY tablename, indexname`,
      [database.schema],
    );

  it('rebuilds the same rows, in identical tables', async () => {
    const { projections, database } = await bench.replica();
    await projections.start();
    let position = '0';
    for (let round = 0; round < 30; round += 1) {
      position = await bench.ring(`bell ${round % 7}`, 50);
      await bench.store.append('bell-1', [newEvent('Oiled')], 'any');
    }
    await projections.reached('rings', position);
    const rows = await dump(database);
    const indexes = await indexNames(database);
    expect(await projections.rebuild('rings')).toEqual({ events: 1_500 });
    expect(await dump(database)).toEqual(rows);
    expect(await indexNames(database)).toEqual(indexes);
    await expect(database.query(`INSERT INTO bells VALUES ('x', 0)`)).rejects.toThrow('check constraint');
    expect(await projections.rebuild('rings')).toEqual({ events: 1_500 });
    expect(await indexNames(database)).toEqual(indexes);
  });

  it('begins where the log is as old as the rows need', async () => {
    class Recent extends Rings {
      override readonly neededDays = 1;
    }
    const { projections, database } = await bench.replica([new Recent()]);
    await projections.start();
    bench.agoMs = 2 * 86_400_000;
    await bench.ring('old', 600);
    bench.agoMs = 0;
    await projections.reached('rings', await bench.ring('new', 20));
    expect(await projections.rebuild('rings')).toEqual({ events: 20 });
    expect(await rung(database)).toEqual({ new: 20 });
    await projections.reached('rings', await bench.ring('new', 1));
    expect(await rung(database)).toEqual({ new: 21 });
  });

  it('repairs rows that were damaged', async () => {
    const { projections, database } = await bench.replica();
    await projections.start();
    await projections.reached('rings', await bench.ring('one', 20));
    const rows = await dump(database);
    await database.query(`UPDATE bells SET rung = 7`);
    await database.query(`DELETE FROM rings`);
    await projections.rebuild('rings');
    expect(await dump(database)).toEqual(rows);
  });

  it('applies each event once while events keep coming, and readers never see fewer rows', async () => {
    const active = await bench.replica();
    const passive = await bench.replica();
    await active.projections.start();
    await passive.projections.start();
    await active.projections.reached('rings', await bench.ring('one', 3_000));
    let stop = false;
    let count = 3_000;
    let position = '0';
    const writing = (async () => {
      for (; !stop; count += 10) {
        position = await bench.ring('one', 10);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const seen: number[] = [];
    const reading = (async () => {
      while (!stop) seen.push((await rung(passive.database))['one'] ?? 0);
    })();
    // Also from a passive replica.
    for (const { projections } of [active, passive, active]) await projections.rebuild('rings');
    stop = true;
    await Promise.all([writing, reading]);
    await until(() =>
      passive.projections.reached('rings', position).then(
        () => true,
        () => false,
      ),
    );
    expect(await rung(active.database)).toEqual({ one: count });
    const [rows] = await active.database.query<{ count: string }>(`SELECT count(*) FROM rings`);
    expect(Number(rows!.count)).toBe(count);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(3);
    expect([...active.lines.errors, ...passive.lines.errors]).toEqual([]);
  }, 60_000);

  it('is refused while another one runs', async () => {
    const { projections } = await bench.replica();
    await projections.start();
    await projections.reached('rings', await bench.ring('one', 2_000));
    const both = await Promise.allSettled([projections.rebuild('rings'), projections.rebuild('rings')]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('the database', () => {
  it('is created once when several replicas start at once', async () => {
    const databases = await Promise.all(
      Array.from({ length: 4 }, () =>
        Database.open({
          url: postgres.url,
          schema: 'at_once',
          migrations: [ringsTables],
          poolSize: 2,
        }),
      ),
    );
    const [row] = await databases[0]!.query<{ count: string }>(`SELECT count(*) FROM migrations`);
    expect(Number(row!.count)).toBe(baseMigrations.length + 1);
    for (const database of databases) await database.close();
  });

  it('rolls back a failed transaction, and calls `afterCommit` only after a commit', async () => {
    const { database } = await bench.replica();
    const told: string[] = [];
    const insert = (sql: Sql, id: string): Promise<unknown> => {
      sql.afterCommit?.(() => told.push(id));
      return sql.query(`INSERT INTO rings VALUES ($1, 'b', 1)`, [id]);
    };
    await database.transaction((sql) => insert(sql, 'kept'));
    await expect(
      database.transaction(async (sql) => {
        await insert(sql, 'lost');
        await insert(sql, 'kept');
      }),
    ).rejects.toThrow('duplicate key');
    expect(await database.query(`SELECT id FROM rings`)).toEqual([{ id: 'kept' }]);
    expect(told).toEqual(['kept']);
  });

  it('has its rows deleted when no service uses them, and rebuilt from the log', async () => {
    const first = await bench.replica();
    await first.projections.start();
    await first.projections.reached('rings', await bench.ring('one', 2));
    await first.database.query(`UPDATE projection_checkpoints SET position = position + 5000`);
    const rows = [bench.schema, 'never_made'].map((schema) => ({ url: postgres.url, schema }));
    await expect(throwRowsAway(rows)).rejects.toThrow('stop everything first');
    await first.stop();
    await throwRowsAway(rows);
    const second = await bench.replica();
    await second.projections.start();
    await second.projections.current('rings');
    expect(await rung(second.database)).toEqual({ one: 2 });
  });

  it('refuses an invalid schema name', async () => {
    await expect(Database.open({ url: postgres.url, schema: 'a"b', migrations: [] })).rejects.toThrow(
      'no name',
    );
  });
});
