import type { Recorded } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { rowsReach, startPostgres, type TestPostgres } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { Database } from './database';
import type { EventStore } from './event-store';
import { newEvent, until } from './event-store.contract.spec';
import { Feed } from './feed';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';
import type { Migration } from './migrate';
import type { On } from './on';
import { inBatch } from './on';
import { Projection } from './projection';
import { Projections } from './projections';
import { isOfEvent } from './set-aside';
import type { Sql } from './sql';

const lettersTable: Migration = {
  name: 'Letters1763600000001',
  phase: 'expand',
  statements: [
    `CREATE TABLE letters (account_id text PRIMARY KEY, texts text[] NOT NULL CHECK (cardinality(texts) < 1000))`,
  ],
};

interface Written {
  readonly type: 'Written';
  readonly text: string;
}

/** Keeps the texts of each account in the order in which it applied their events. */
class Letters extends Projection<{ readonly letter: Written }> {
  readonly name = 'letters';
  readonly tables = ['letters'];
  readonly on: On<{ readonly letter: Written }> = { letter: { Written: inBatch } };

  override accountOf({ metadata }: Recorded<Written>): string {
    return metadata.accountId;
  }

  override async apply(sql: Sql, events: readonly Recorded<Written>[]): Promise<void> {
    for (const { event, metadata } of events)
      await sql.query(
        `INSERT INTO letters AS l VALUES ($1, ARRAY[$2]) ON CONFLICT (account_id) DO UPDATE SET texts = l.texts || $2::text`,
        [metadata.accountId, event.text],
      );
  }
}

/** An account has copies in several partitions. */
class SharedLetters extends Letters {
  override readonly partitioned = 'accounts';
}

class OrderedLetters extends Letters {
  override accountOf = (): string => '';
}

interface Line {
  readonly message: string;
  readonly accountId?: string;
  readonly position?: string;
  readonly type?: string;
}

const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const behind = { reason: 'projection.behind' };
let postgres: TestPostgres;
let schemas = 0;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

/** A log, and a schema that replicas share. */
class House {
  readonly store: EventStore = inMemoryEventStore();
  readonly schema = `letters_${(schemas += 1)}`;
  readonly errors: Line[] = [];
  private readonly stops: (() => Promise<void>)[] = [];

  async replica(
    projection: Projection<{ readonly letter: Written }> = new Letters(),
  ): Promise<{ projections: Projections; database: Database; stop(): Promise<void> }> {
    const database = await Database.open({
      url: postgres.url,
      schema: this.schema,
      migrations: [lettersTable],
      poolSize: 4,
      statementSeconds: 1,
    });
    const log = new Log(this.store, Keys.fromRing(ring, this.store));
    const feed = Feed.of(log);
    const logger = {
      info: (): void => {},
      warn: (): void => {},
      error: (fields: object, message: string): void => void this.errors.push({ ...fields, message }),
    };
    const projections = new Projections(database, log, feed, [projection], logger);
    let stopped = false;
    const stop = async (): Promise<void> => {
      if (stopped) return;
      stopped = true;
      await projections.stop();
      await feed.close();
      await database.close();
    };
    this.stops.push(stop);
    await projections.start();
    await projections.caughtUpOnce();
    return { projections, database, stop };
  }

  async write(account: string, ...texts: readonly string[]): Promise<string> {
    return this.writeIn([0], account, ...texts);
  }

  async writeIn(
    [partition = 0, ...alsoIn]: readonly number[],
    account: string,
    ...texts: readonly string[]
  ): Promise<string> {
    const events = texts.map((text) => {
      const event = newEvent('Written', { text });
      return { ...event, metadata: { ...event.metadata, accountId: account, partition, alsoIn } };
    });
    const { position } = await this.store.append(`letter-${account}`, events, 'any');
    return String(position);
  }

  async close(): Promise<void> {
    for (const stop of this.stops) await stop();
  }
}

/** Makes Postgres fail at a text of one account, as a constraint or a slow statement would. */
async function poison(database: Database, account: string, failure: string): Promise<void> {
  await database.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.account_id = '${account}' AND 'bad' = ANY(NEW.texts) THEN ${failure}; END IF; RETURN NEW; END $$`);
  await database.query(
    `CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON letters FOR EACH ROW EXECUTE FUNCTION fail()`,
  );
}

const heal = (database: Database): Promise<unknown> => database.query(`DROP FUNCTION fail() CASCADE`);

const texts = async (database: Database): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await database.query<{ account_id: string; texts: string[] }>(`SELECT * FROM letters`)).map((row) => [
      row.account_id,
      row.texts,
    ]),
  );

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

describe('an event that cannot be applied', () => {
  it.each([
    ['fails', `RAISE 'no such letter'`, 'error P0001'],
    ['runs into the statement timeout', `PERFORM pg_sleep(30)`, 'DatabaseUnavailable 57014'],
  ])(
    'and %s sets its account aside: the others go on, also after a restart and on another replica',
    async (_, failure, error) => {
      const first = await house.replica();
      const second = await house.replica();
      await first.projections.reached('letters', await house.write('usr_a', 'one'), 'usr_a');
      await poison(first.database, 'usr_a', failure);
      const bad = await house.write('usr_a', 'bad', 'three');
      const position = await house.write('usr_b', 'one', 'two');
      await until(() => first.projections.lags()[0]?.setAside === 1, 20_000);

      for (const { projections, database } of [first, second]) {
        await rowsReach(projections, 'letters', position);
        await projections.reached('letters', position, 'usr_b');
        await expect(projections.reached('letters', position, 'usr_a')).rejects.toMatchObject(behind);
        await expect(projections.current('letters', 'usr_a')).rejects.toMatchObject(behind);
        expect(() => projections.insist('letters', 'usr_a')).toThrow('projection.behind');
        // A row that is not there may be one of the account's.
        await expect(projections.find('letters', async () => undefined)).rejects.toMatchObject(behind);
        expect(await texts(database)).toEqual({ usr_a: ['one'], usr_b: ['one', 'two'] });
        expect(projections.statuses()).toMatchObject([{ current: true }]);
      }
      const named = house.errors.filter(({ message }) => message.includes('its account is set aside'));
      expect(named).toMatchObject([{ accountId: 'usr_a', type: 'Written' }]);
      expect(await first.projections.setAside()).toMatchObject([
        {
          queue: 'letters',
          id: 'letters/usr_a',
          accountId: 'usr_a',
          reason: `cannot apply Written at ${named[0]?.position}: ${error}`,
        },
      ]);
      expect(BigInt(named[0]!.position!)).toBeLessThan(BigInt(bad));

      // The second replica takes over, then a third starts.
      await first.stop();
      await rowsReach(second.projections, 'letters', await house.write('usr_b', 'three'));
      await second.stop();
      const third = await house.replica();
      await house.write('usr_a', 'four');
      await rowsReach(third.projections, 'letters', await house.write('usr_b', 'four'));
      await expect(third.projections.current('letters', 'usr_a')).rejects.toMatchObject(behind);
      expect(await texts(third.database)).toEqual({ usr_a: ['one'], usr_b: ['one', 'two', 'three', 'four'] });

      await heal(third.database);
      expect(await third.projections.settleSetAside('letters', 'usr_a', 'retry')).toBe(true);
      await rowsReach(third.projections, 'letters', await house.write('usr_a', 'five'));
      await until(() => third.projections.lags()[0]?.setAside === 0);
      await third.projections.reached('letters', undefined, 'usr_a');
      const healed = await texts(third.database);
      expect(healed['usr_a']).toEqual(['one', 'bad', 'three', 'four', 'five']);
      await third.projections.rebuild('letters');
      expect(await texts(third.database)).toEqual(healed);
      expect(await third.projections.setAside()).toEqual([]);
    },
    90_000,
  );

  it('is found in a batch: the events before it are applied, and those behind it but for its account', async () => {
    const { projections, database } = await house.replica();
    await poison(database, 'usr_a', `RAISE 'no'`);
    await house.write('usr_b', ...Array.from({ length: 40 }, () => 'before'));
    await house.write('usr_a', 'good', 'bad', 'late');
    const last = await house.write('usr_b', ...Array.from({ length: 40 }, () => 'after'));
    await until(() => projections.lags()[0]?.setAside === 1);
    await rowsReach(projections, 'letters', last);
    const { usr_a: a, usr_b: b } = await texts(database);
    expect(a).toEqual(['good']);
    expect(b).toHaveLength(80);
  });

  it('that still fails stays a dead letter; dropped, its account goes on behind it', async () => {
    const { projections, database } = await house.replica();
    await poison(database, 'usr_a', `RAISE 'no'`);
    await house.write('usr_a', 'good', 'bad', 'last');
    await until(() => projections.lags()[0]?.setAside === 1);
    expect(await projections.settleSetAside('letters', 'usr_a', 'retry')).toBe(false);
    expect(await projections.setAside()).toHaveLength(1);
    expect(await projections.settleSetAside('letters', 'usr_a', 'drop')).toBe(true);
    expect(await projections.setAside()).toEqual([]);
    // An account that is not set aside has nothing to settle.
    expect(await projections.settleSetAside('letters', 'usr_a', 'retry')).toBe(true);
    await until(() => projections.lags()[0]?.setAside === 0);
    await projections.reached('letters', undefined, 'usr_a');
    expect(await texts(database)).toEqual({ usr_a: ['good', 'last'] });
  });

  it('is applied by a rebuild, which ends the exception of its account', async () => {
    const { projections, database } = await house.replica();
    await poison(database, 'usr_a', `RAISE 'no'`);
    await house.write('usr_a', 'good', 'bad', 'last');
    await until(() => projections.lags()[0]?.setAside === 1);
    // The copies of the tables have no trigger.
    await projections.rebuild('letters');
    await until(() => projections.lags()[0]?.setAside === 0);
    await rowsReach(projections, 'letters', await house.write('usr_a', 'new'));
    await projections.reached('letters', undefined, 'usr_a');
    expect(await texts(database)).toEqual({ usr_a: ['good', 'bad', 'last', 'new'] });
    expect(await projections.setAside()).toEqual([]);
  });

  it('is retried by two replicas at once, while events keep coming: each is applied once', async () => {
    const first = await house.replica();
    const second = await house.replica();
    await poison(first.database, 'usr_a', `RAISE 'no'`);
    const many = Array.from({ length: 350 }, (_each, n) => String(n));
    await house.write('usr_a', 'bad', ...many);
    await until(() => first.projections.lags()[0]?.setAside === 1);
    await house.write('usr_b', ...many);
    await heal(first.database);
    let isWriting = true;
    const written: string[] = [];
    const writing = (async () => {
      for (let n = 0; isWriting; n += 1) {
        written.push(`new ${n}`);
        await house.write('usr_a', `new ${n}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const settled = [first, second].map(({ projections }) =>
      projections.settleSetAside('letters', 'usr_a', 'retry'),
    );
    expect(await Promise.all(settled)).toEqual([true, true]);
    isWriting = false;
    await writing;
    const last = await house.write('usr_a', 'last');
    for (const { projections, database } of [first, second]) {
      await until(() => projections.lags()[0]?.setAside === 0);
      await rowsReach(projections, 'letters', last);
      await projections.reached('letters', last, 'usr_a');
      expect(await texts(database)).toEqual({ usr_a: ['bad', ...many, ...written, 'last'], usr_b: many });
    }
  }, 60_000);

  it('makes a projection stop that cannot leave out an account', async () => {
    const { projections, database } = await house.replica(new OrderedLetters());
    await poison(database, 'usr_a', `RAISE 'no'`);
    await house.write('usr_a', 'bad');
    const position = await house.write('usr_b', 'one');
    await until(() => house.errors.length > 4);
    await expect(projections.reached('letters', position)).rejects.toMatchObject(behind);
    expect(await projections.setAside()).toEqual([]);
    expect(await texts(database)).toEqual({});
  });

  it('in another partition than the first of its account sets the account aside there too', async () => {
    const { projections, database } = await house.replica(new SharedLetters());
    await projections.reached('letters');
    // Each account counts once, in however many partitions it is set aside.
    await database.query(
      `INSERT INTO set_aside (projection, account_id, partition, applied, position, event_type, error)
       SELECT 'letters', 'usr_' || n, partition, 0, 0, 'Written', 'error'
       FROM generate_series(1, 60) n, generate_series(0, 1) partition`,
    );
    await poison(database, 'usr_a', `RAISE 'no'`);
    const inPartitions = () =>
      database.query(
        `SELECT partition, event_type FROM set_aside WHERE account_id = 'usr_a' ORDER BY partition`,
      );
    for (const [partitions, count] of [
      [[0], 1],
      [[0, 1], 2],
    ] as const) {
      await house.writeIn(partitions, 'usr_a', 'bad');
      await until(async () => (await inPartitions()).length === count);
    }
    await rowsReach(projections, 'letters', await house.writeIn([0, 1], 'usr_b', 'one'));
    expect(await texts(database)).toMatchObject({ usr_b: expect.arrayContaining(['one']) });
  });

  it('of more than a hundred accounts is no fault of an account: the projection stops', async () => {
    const { projections, database } = await house.replica();
    await projections.reached('letters');
    await database.query(
      `INSERT INTO set_aside (projection, account_id, applied, position, event_type, error)
       SELECT 'letters', 'usr_' || n, 0, 0, 'Written', 'error' FROM generate_series(1, 100) n`,
    );
    await poison(database, 'usr_a', `RAISE 'no'`);
    await house.write('usr_a', 'bad');
    await until(() => house.errors.length > 4);
    expect(await projections.setAside()).toHaveLength(100);
  });
});

it.each([
  ['is', 'a violated constraint', { code: '23514' }],
  ['is', 'a statement timeout', { code: '57014' }],
  ['is', 'a bug', new TypeError('undefined is not a function')],
  ['is not', 'a deadlock', { code: '40P01' }],
  ['is not', 'a missing column', { code: '42703' }],
])('the fault of an event %s %s', (is, _, error) => expect(isOfEvent(error)).toBe(is === 'is'));
