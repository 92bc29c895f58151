import type { Recorded } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { eventually, startEmulatorProcess, startPostgres } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { Database } from './database';
import type { EventStore } from './event-store';
import { openEventStore } from './event-store-db';
import { newEvent, until } from './event-store.contract.spec';
import { Feed } from './feed';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';
import type { Migration } from './migrate';
import { inBatch, type On } from './on';
import { partitionOf, partitionsOf } from './partition';
import { Projection } from './projection';
import { Projections } from './projections';
import type { AnyProjection } from './selection';
import type { Sql } from './sql';

interface Struck {
  readonly type: 'Struck';
  readonly accountId: string;
  readonly recipients?: readonly string[];
  /** Those of all these accounts whose rows are written now. */
  readonly readers?: readonly string[];
}
interface Clocks {
  readonly clock: Struck;
}
const on = { clock: { Struck: inBatch } } satisfies On<Clocks>;

/** A row for each event and account that has a copy; `written` is the order of the statements. */
const tables: Migration = {
  name: 'Strikes1795564800001',
  phase: 'expand',
  statements: [
    `CREATE TABLE strikes (id text, partition integer, position numeric, written timestamptz DEFAULT clock_timestamp())`,
  ],
};

class Strikes extends Projection<Clocks, typeof on> {
  readonly name = 'strikes';
  readonly tables = ['strikes'];
  override readonly partitioned = 'accounts';
  readonly on = on;
  /** Events of this account cannot be applied. */
  broken: string | undefined;

  override accountOf({ event }: Recorded<Struck>): string {
    return event.accountId;
  }

  override async apply(sql: Sql, events: readonly Recorded<Struck>[]): Promise<void> {
    if (events.some(({ event }) => event.accountId === this.broken)) throw new Error('The clock is broken');
    const copies = events.flatMap(({ id, position, event: { accountId, recipients = [], readers } }) =>
      (readers ?? [accountId, ...recipients]).map((reader) => ({ id: `${id} ${reader}`, position, reader })),
    );
    await sql.query(
      `INSERT INTO strikes (id, partition, position)
       SELECT * FROM unnest($1::text[], $2::integer[], $3::numeric[])`,
      [
        copies.map(({ id }) => id),
        copies.map(({ reader }) => partitionOf(reader, 16)),
        copies.map(({ position }) => String(position)),
      ],
    );
  }
}

/** Of the release before: it does not know the events of clocks. */
class OldStrikes extends Projection<Clocks> {
  readonly name = 'strikes';
  readonly tables = ['strikes'];
  override readonly partitioned = 'accounts';
  readonly on = { clock: {} } as unknown as On<Clocks>;
}

const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const silent = { info: (): void => {}, warn: (): void => {}, error: (): void => {} };
const accounts = Array.from({ length: 64 }, (_, index) => `acc_${String(index).padStart(16, '0')}`);
/** An account in each of two partitions. */
const one = accounts[0]!;
const other = accounts.find((account) => partitionOf(account, 16) !== partitionOf(one, 16))!;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

let schemas = 0;

interface Replica {
  readonly projections: Projections;
  readonly database: Database;
  /** The partitions of the events that this process has read. */
  readonly read: Set<number | undefined>;
  owned(): number;
  stop(): Promise<void>;
}

/** Replicas of one service with a log in memory, or another one. */
class Service {
  private readonly schema = `shares_${(schemas += 1)}`;
  private readonly replicas: Replica[] = [];
  private striking: Promise<void> | undefined;
  private over = false;
  struck = 0;
  /** How often a replica could not take its share. */
  refusals = 0;

  constructor(readonly store: EventStore = inMemoryEventStore()) {}

  async replica(projection: AnyProjection = new Strikes()): Promise<Replica> {
    const database = await Database.open({
      url: postgres.url,
      schema: this.schema,
      migrations: [tables],
      poolSize: 2,
    });
    const log = new Log(this.store, Keys.fromRing(ring, this.store));
    const feed = Feed.of(log);
    const read = new Set<number | undefined>();
    feed.onEvent(({ metadata }) => read.add(metadata.partition));
    const logger = {
      ...silent,
      warn: (_: object, said: string) => (this.refusals += Number(/share/.test(said))),
    };
    const projections = new Projections(database, log, feed, [projection], logger as never);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (stopping ??= projections
        .stop()
        .then(() => feed.close())
        .then(() => database.close()));
    const replica = { projections, database, stop, read, owned: () => projections.partitions()!.owned };
    this.replicas.push(replica);
    await projections.start();
    return replica;
  }

  async strike(accountId: string, recipients: readonly string[] = []): Promise<string> {
    const event = newEvent('Struck', { accountId, recipients });
    const partition = partitionOf(accountId, 16);
    const struck: Struck = { type: 'Struck', accountId, recipients };
    const alsoIn = partitionsOf(struck, 16).filter((each) => each !== partition);
    const metadata = { ...event.metadata, accountId, partition, alsoIn };
    const { position } = await this.store.append(`clock-${accountId}`, [{ ...event, metadata }], 'any');
    this.struck += 1 + recipients.length;
    return String(position);
  }

  /** Strikes for all accounts, again and again, until `settled`. */
  load(): void {
    this.striking = (async () => {
      while (!this.over) {
        for (const [index, account] of accounts.entries())
          await this.strike(account, index % 3 === 0 ? accounts.slice(index + 1, index + 5) : []);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
  }

  /** Waits until each copy of an event has a row; throws when one has two, or rows of a partition are out of order. */
  async settled({ database }: Replica): Promise<void> {
    this.over = true;
    await this.striking;
    const count = `SELECT count(*)::integer AS count, count(DISTINCT id)::integer AS ids FROM strikes`;
    await until(
      async () => (await database.query<{ count: number }>(count))[0]!.count >= this.struck,
      20_000,
    );
    expect(await database.query(count)).toEqual([{ count: this.struck, ids: this.struck }]);
    const disorder = await database.query(
      `SELECT FROM (SELECT position, lag(position) OVER (PARTITION BY partition ORDER BY written, position) AS before
       FROM strikes) s WHERE before > position`,
    );
    expect(disorder).toEqual([]);
  }

  async close(): Promise<void> {
    this.over = true;
    await this.striking;
    await Promise.all(this.replicas.map(({ stop }) => stop()));
  }
}

const own = (replicas: readonly Replica[], shares: readonly number[], withinMs = 5_000): Promise<void> =>
  until(
    () =>
      JSON.stringify(replicas.map(({ owned }) => owned()).sort((a, b) => b - a)) === JSON.stringify(shares),
    withinMs,
  );

describe('replicas of a service', () => {
  let service: Service;
  beforeEach(() => {
    service = new Service();
  });
  afterEach(() => service.close());

  it('share the partitions under load, take their share when they start, and hand it over when they stop', async () => {
    service.load();
    const first = await service.replica();
    expect(first.owned()).toBe(16);
    const second = await service.replica();
    await own([first, second], [8, 8]);
    const third = await service.replica();
    await own([first, second, third], [6, 5, 5]);
    const others = [await service.replica(), await service.replica()];
    await own([first, second, third, ...others], [4, 3, 3, 3, 3]);
    for (const other of others) await other.stop();
    await second.stop();
    await own([first, third], [8, 8], 3_000);
    await first.stop();
    await own([third], [16], 3_000);
    await service.settled(third);
  }, 60_000);

  it('are as many as there are partitions, and one more that waits', async () => {
    const replicas = await Promise.all(Array.from({ length: 16 }, () => service.replica()));
    await own(replicas, new Array<number>(16).fill(1), 15_000);
    const last = await service.replica();
    expect(last.owned()).toBe(0);
    service.load();
    await last.projections.reached('strikes', await service.strike(one), one);
    await service.settled(last);
    await replicas[0]!.stop();
    await own([last], [1], 3_000);
  }, 90_000);

  it('read the events of their own partitions only, and answer for all', async () => {
    const replicas = [await service.replica(), await service.replica()];
    await own(replicas, [8, 8]);
    for (const { read } of replicas) read.clear();
    for (const account of accounts) {
      const position = await service.strike(account);
      for (const { projections, database } of replicas) {
        await projections.reached('strikes', position, account);
        expect(await database.query(`SELECT FROM strikes WHERE position = $1`, [position])).toHaveLength(1);
      }
    }
    const [first, second] = replicas.map(({ read }) => [...read]);
    expect(new Set([...first!, ...second!])).toEqual(
      new Set(accounts.map((account) => partitionOf(account, 16))),
    );
    expect(first!.filter((partition) => second!.includes(partition))).toEqual([]);
    await service.settled(replicas[0]!);
  }, 60_000);

  it('own the partitions of a replica whose leases are over, and it gets a share again', async () => {
    const [first, second] = [await service.replica(), await service.replica()];
    await own([first, second], [8, 8]);
    service.load();
    // As after a freeze: others hold what it believes to hold.
    await first.database.query(
      `UPDATE leases SET holder = gen_random_uuid(), until = now() + interval '4 s' WHERE holder = (
         SELECT holder FROM leases ORDER BY name DESC LIMIT 1)`,
    );
    await until(() => first.owned() + second.owned() === 8);
    await own([first, second], [8, 8], 15_000);
    await service.settled(first);
  }, 60_000);

  it('go on while Postgres refuses leases, and take them when it does not any more', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const first = await service.replica();
    await own([first], [16]);
    await first.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
    );
    await first.database.query(
      `CREATE TRIGGER refused BEFORE INSERT ON leases FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await first.stop();
    const second = await service.replica();
    await eventually(
      () => service.refusals > 0 || undefined,
      () => 'no lease is refused',
    );
    expect(second.owned()).toBe(0);
    await second.database.query(`DROP TRIGGER refused ON leases`);
    await own([second], [16]);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  }, 60_000);

  it('that do not know an event leave the partitions to those that do', async () => {
    const old = await service.replica(new OldStrikes());
    const position = await service.strike(one);
    await until(() => old.projections.lags()[0]?.current === false);
    expect(old.owned()).toBe(16);
    const next = await service.replica();
    await own([next], [16]);
    expect(old.owned()).toBe(0);
    await next.projections.reached('strikes', position);
    await service.settled(next);
  }, 30_000);
});

it('replicas of the previous release leave the partitions to the next one, once it has rebuilt the rows', async () => {
  class NextStrikes extends Strikes {
    override readonly version = 2;
  }
  const service = new Service();
  try {
    const old = await service.replica();
    await old.projections.reached('strikes', await service.strike(one));
    service.load();
    const next = await service.replica(new NextStrikes());
    const versions = (): Promise<object[]> =>
      next.database.query(`SELECT DISTINCT rows_version FROM projection_checkpoints`);
    await until(async () => JSON.stringify(await versions()) === '[{"rows_version":2}]', 20_000);
    await own([next], [16], 15_000);
    expect(old.owned()).toBe(0);
    await service.settled(next);
  } finally {
    await service.close();
  }
}, 60_000);

describe('a reader', () => {
  let service: Service;
  beforeEach(() => {
    service = new Service();
  });
  afterEach(() => service.close());

  it('waits for the partition of its account only, and for all without one', async () => {
    const { projections, database } = await service.replica();
    await projections.reached('strikes', await service.strike(one));
    const holder = await database.connect();
    await holder.query('BEGIN');
    await holder.query(
      `SELECT FROM projection_checkpoints WHERE name = 'strikes' AND partition = ${partitionOf(other, 16)} FOR UPDATE`,
    );
    await projections.reached('strikes', await service.strike(one), one);
    const position = await service.strike(other);
    await projections.reached('strikes', position, one);
    for (const account of [other, undefined])
      await expect(projections.reached('strikes', position, account)).rejects.toMatchObject({
        reason: 'projection.behind',
      });
    await holder.query('ROLLBACK');
    await projections.reached('strikes', position);
  }, 30_000);

  it('gets an answer for the position of an event that the service does not follow', async () => {
    const emulator = await startEmulatorProcess({});
    const store = openEventStore(emulator.url);
    const here = new Service(store);
    try {
      const { projections } = await here.replica();
      await projections.reached('strikes', await here.strike(one), one);
      for (let round = 0; round < 5; round += 1) {
        const { position } = await store.append(`bell-${round}`, [newEvent('Rung')], 'no_stream');
        await projections.reached('strikes', String(position), one);
        await projections.reached('strikes', String(position));
      }
    } finally {
      await here.close();
      await store.close();
      await emulator.stop();
    }
  }, 30_000);

  it('of an account that is set aside is refused, and all others go on', async () => {
    const strikes = new Strikes();
    strikes.broken = other;
    const { projections, database } = await service.replica(strikes);
    // Its copies are set aside, too, each in its partition.
    const failing = await service.strike(other, accounts.slice(20, 24));
    const position = await service.strike(one);
    await projections.reached('strikes', position, one);
    await until(() => projections.lags()[0]?.setAside === 1);
    await expect(projections.reached('strikes', failing, other)).rejects.toMatchObject({
      reason: 'projection.behind',
    });
    strikes.broken = undefined;
    const late = await service.strike(other);
    await projections.reached('strikes', await service.strike(one), one);
    expect(await projections.settleSetAside('strikes', other, 'retry')).toBe(true);
    await until(async () =>
      projections.reached('strikes', late, other).then(
        () => true,
        () => false,
      ),
    );
    await service.settled({ database } as Replica);
  }, 30_000);
});

it('a rebuild makes the rows of all partitions again, beside live ones', async () => {
  const service = new Service();
  try {
    const [first, second] = [await service.replica(), await service.replica()];
    await own([first, second], [8, 8]);
    service.load();
    await first.database.query(`UPDATE strikes SET id = 'wrong'`);
    await until(() => service.struck > 600);
    expect((await first.projections.rebuild('strikes')).events).toBeGreaterThan(199);
    await service.settled(second);
    const positions = await first.database.query(
      `SELECT count(*)::integer AS count FROM projection_checkpoints`,
    );
    expect(positions).toEqual([{ count: 16 }]);
  } finally {
    await service.close();
  }
}, 60_000);
