import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import {
  type EmulatorProcess,
  end,
  Relay,
  startEmulatorProcess,
  startPostgres,
  type TestPostgres,
} from '@carillon/testkit';
import { Database } from './database';
import { newEvent, until } from './event-store.contract.spec';
import { openEventStore } from './event-store-db';
import type { EventStore } from './event-store';
import { type Lease, Leases } from './leases';

let postgres: TestPostgres;
let emulator: EmulatorProcess;
let store: EventStore;
const databases: Database[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
  emulator = await startEmulatorProcess();
  store = openEventStore(emulator.url);
}, 60_000);
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await store?.close();
  await emulator?.stop();
  await postgres?.stop();
});

/** A process with a connection of its own. */
async function open(url = postgres.url): Promise<Database> {
  const database = await Database.open({ url, schema: 'leases', migrations: [] });
  databases.push(database);
  return database;
}

/** Tries as a passive replica does. */
async function taken(leases: Leases, name: string): Promise<Lease> {
  let lease: Lease | undefined;
  await until(async () => (lease = await leases.take(name)) !== undefined);
  return lease!;
}

/** Postgres as it is reached over a network that can go silent. */
class Network {
  private readonly sockets: Socket[] = [];
  private readonly server: Server = createServer((near) => {
    const far = connect(Number(new URL(postgres.url).port), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.push(from);
      from.on('data', (chunk) => (this.silent ? undefined : to.write(chunk)));
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  silent = false;

  async url(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('There is no port');
    return postgres.url.replace(/:\d+\//, `:${address.port}/`);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

describe('a lease', () => {
  it('has one holder, and the next one as soon as it is released', async () => {
    const [one, other] = [Leases.of(await open()), Leases.of(await open())];
    const asked = await Promise.all([one, other, one, other].map((leases) => leases.take('bell')));
    expect(asked.filter((lease) => lease !== undefined)).toHaveLength(1);
    const [holder, waiting] = asked[0] ? [one, other] : [other, one];
    expect(await waiting.take('bell')).toBe(undefined);
    await holder.release('bell');
    expect(asked.find((lease) => lease !== undefined)?.isOver).toBe(true);
    expect((await waiting.take('bell'))?.isOver).toBe(false);
  });

  it('is renewed together with all others of its process, in one statement', async () => {
    const database = await open();
    const statements: string[] = [];
    const query = database.queryLeases.bind(database);
    database.queryLeases = (text, values) => {
      statements.push(text.split(' ')[0] ?? '');
      return query(text, values);
    };
    const leases = Leases.of(database);
    const names = Array.from({ length: 30 }, (_, index) => `bell ${index}`);
    const held = await Promise.all(names.map((name) => leases.take(name)));
    await until(() => statements.length === 6);
    expect(statements).toEqual(['INSERT', ...Array.from({ length: 5 }, () => 'WITH')]);
    // By now those that were not renewed would be over.
    expect(held.map((lease) => lease?.isOver)).toEqual(names.map(() => false));
    for (const name of names) await leases.release(name);
  });

  it('needs one connection in a process, whatever number of services it has', async () => {
    const services = await Promise.all(
      ['chimes', 'bells', 'gongs'].map((schema) =>
        Database.open({ url: postgres.url, schema, migrations: [] }),
      ),
    );
    databases.push(...services);
    const held = await Promise.all(services.map((service) => Leases.of(service).take('one name')));
    expect(held.map((lease) => lease?.isOver)).toEqual([false, false, false]);
    const [{ connections }] = (await services[0]!.query(
      `SELECT count(*)::integer AS connections FROM pg_stat_activity
       WHERE query ~ 'INSERT INTO (chimes|bells|gongs)[.]leases' AND pid <> pg_backend_pid()`,
    )) as [{ connections: number }];
    expect(connections).toBe(1);
    // The others go on when the database that came first is closed.
    await services[0]!.close();
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    expect(held.slice(1).map((lease) => lease?.isOver)).toEqual([false, false]);
  });

  it('is over for a holder that cannot reach Postgres before another process can take it', async () => {
    const network = new Network();
    try {
      const cutOff = Leases.of(await open(await network.url()));
      const lease = await cutOff.take('clapper');
      const other = Leases.of(await open());
      expect(await other.take('clapper')).toBe(undefined);
      network.silent = true;
      expect(lease?.isOver).toBe(false);
      const next = await taken(other, 'clapper');
      expect(lease?.isOver).toBe(true);
      network.silent = false;
      await until(() =>
        cutOff.take('clapper').then(
          (again) => again === undefined,
          () => false,
        ),
      );
      expect(next.isOver).toBe(false);
    } finally {
      network.close();
    }
  });

  it('goes on when a connection is lost, and when Postgres is silent for a moment', async () => {
    const database = await open();
    const lease = await Leases.of(database).take('rope');
    const until = `SELECT until FROM leases WHERE name = 'rope'`;
    const renewed = async (): Promise<void> => {
      const [before] = await database.query<{ until: Date }>(until);
      for (;;) {
        const [now] = await database.query<{ until: Date }>(until);
        if (now!.until > before!.until) return;
      }
    };
    const guard = await database.connect();
    await guard.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'carillon leases' AND pid <> pg_backend_pid()`,
    );
    await guard.end();
    await renewed();
    const thaw = postgres.freeze();
    setTimeout(thaw, 1_000);
    await renewed();
    expect(lease?.isOver).toBe(false);
  });
});

/** A service that counts the events of a stream in its own process, each in its transaction after `paceMs`. */
const counter = `
  import { Database, Feed, inBatch, Keys, Leases, Log, openEventStore, Projection, Projections }
    from ${JSON.stringify(`${process.cwd()}/dist/libs/event-store/src/index.js`)};
  import { KeyRing } from ${JSON.stringify(`${process.cwd()}/dist/libs/signing/src/index.js`)};
  const [name, url, storeUrl, partitioned] = process.argv.slice(1);
  const tell = (what) => console.log(what);
  class Strikes extends Projection {
    name = 'strikes';
    tables = ['strikes'];
    partitioned = partitioned === 'true' && 'subjects';
    on = { clock: { Struck: inBatch } };
    async apply(sql, events) {
      tell('applying');
      for (const { id } of events)
        await sql.query('INSERT INTO strikes (id, by) VALUES ($1, $2)', [id, name]);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    committed(events) {
      tell('committed ' + events.length);
    }
  }
  const migrations = [{ name: 'Strikes1763600000001', phase: 'expand', statements: ['CREATE TABLE strikes (id text, by text)'] }];
  const database = await Database.open({ url, schema: partitioned === 'true' ? 'shared_strikes' : 'strikes', migrations });
  const store = openEventStore(storeUrl);
  const log = new Log(store, Keys.fromRing(KeyRing.parse('k1:' + Buffer.alloc(32).toString('base64')), store));
  const line = (fields, message) => tell(message);
  const projections = new Projections(database, log, Feed.of(log), [new Strikes()],
    { debug: line, info: line, warn: line, error: line, fatal: line });
  await projections.start();
  tell('started');
  process.once('SIGTERM', async () => {
    await projections.stop();
    process.exit();
  });
`;

class Replica {
  readonly said: string[] = [];
  private readonly child: ChildProcess;

  constructor(
    readonly name: string,
    partitioned = false,
    storeUrl = emulator.url,
  ) {
    this.child = spawn(
      process.execPath,
      ['--input-type=module', '-e', counter, name, postgres.url, storeUrl, String(partitioned)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    createInterface({ input: this.child.stdout! }).on('line', (line) => this.said.push(line));
  }

  async says(what: string, times = 1): Promise<void> {
    await until(() => this.said.filter((line) => line.startsWith(what)).length >= times, 60_000);
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.thaw();
    return end(this.child, signal);
  }
}

describe('the active one of two processes', () => {
  it('that freezes in its transaction is replaced, and commits nothing when it goes on', async () => {
    const strike = (): Promise<unknown> => store.append('clock-tower', [newEvent('Struck')], 'any');
    const first = new Replica('first');
    const replicas = [first];
    try {
      await first.says('started');
      await strike();
      await first.says('committed');
      const second = new Replica('second');
      replicas.push(second);
      await second.says('started');

      await strike();
      await first.says('applying', 2);
      first.freeze();
      await strike();
      await second.says('committed');
      first.thaw();
      await second.end();

      // The first one takes over what the second has released.
      await strike();
      await first.says('committed', 2);
      const database = await open();
      const rows = `SELECT by, count(*)::integer AS count, count(DISTINCT id)::integer AS ids
        FROM strikes.strikes GROUP BY by ORDER BY by`;
      expect(await database.query(rows)).toEqual([
        { by: 'first', count: 2, ids: 2 },
        { by: 'second', count: 2, ids: 2 },
      ]);

      // What is killed is replaced as well.
      const third = new Replica('third');
      replicas.push(third);
      await third.says('started');
      await first.end('SIGKILL');
      await strike();
      await third.says('committed');
    } finally {
      await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
    }
  }, 180_000);
});

/** Two replicas in one process, with more projections than Node lets a signal have listeners. */
const passive = `
  import { Database, Feed, ignore, Keys, Log, openEventStore, Projection, Projections }
    from ${JSON.stringify(`${process.cwd()}/dist/libs/event-store/src/index.js`)};
  import { KeyRing } from ${JSON.stringify(`${process.cwd()}/dist/libs/signing/src/index.js`)};
  const [url, storeUrl] = process.argv.slice(1);
  process.on('warning', ({ name }) => console.log(name));
  class One extends Projection {
    tables = [];
    on = { clock: { Struck: ignore } };
    constructor(number) {
      super();
      this.name = 'bell_' + number;
    }
  }
  const store = openEventStore(storeUrl);
  const log = new Log(store, Keys.fromRing(KeyRing.parse('k1:' + Buffer.alloc(32).toString('base64')), store));
  const line = () => {};
  const logger = { debug: line, info: line, warn: line, error: line, fatal: line };
  for (const name of ['active', 'passive']) {
    const database = await Database.open({ url, schema: 'many_bells', migrations: [] });
    const many = Array.from({ length: 12 }, (_, number) => new One(number));
    await new Projections(database, log, Feed.of(log), many, logger).start();
    console.log(name);
  }
  setTimeout(() => process.exit(), 500);
`;

it('a passive replica with many projections warns of no leak', async () => {
  const script = ['--input-type=module', '-e', passive, postgres.url, emulator.url];
  const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  await once(child, 'close');
  expect(said).toEqual(['active', 'passive']);
}, 60_000);

const strikeAll = async (): Promise<void> => {
  for (let partition = 0; partition < 16; partition += 1) {
    const event = newEvent('Struck');
    const metadata = { ...event.metadata, partition };
    await store.append(`clock-${partition}`, [{ ...event, metadata }], 'any');
  }
};
const strikes = `SELECT count(*)::integer AS count, count(DISTINCT id)::integer AS ids FROM shared_strikes.strikes`;
const owners = `SELECT count(*)::integer AS owned FROM shared_strikes.leases
  WHERE starts_with(name, 'partition ') AND until > now() GROUP BY holder ORDER BY 1`;
const isShared = async (database: Database): Promise<boolean> =>
  JSON.stringify(await database.query(owners)) === JSON.stringify([{ owned: 8 }, { owned: 8 }]);

it('partitions of a process that freezes in its transaction are taken over, and nothing is committed twice', async () => {
  const [first, second] = [new Replica('first', true), new Replica('second', true)];
  try {
    await Promise.all([first, second].map((replica) => replica.says('started')));
    const database = await open();
    await until(() => isShared(database), 10_000);
    const [{ count: before }] = (await database.query(strikes)) as [{ count: number }];
    const applied = async (more: number): Promise<boolean> =>
      (await database.query<{ count: number }>(strikes))[0]?.count === before + more;
    const applications = first.said.filter((line) => line === 'applying').length;
    await strikeAll();
    await first.says('applying', applications + 1);
    first.freeze();
    const frozenMs = performance.now();
    await until(() => applied(16), 20_000);
    // Five seconds until the leases are over, and as many until Postgres ends the transaction.
    expect(performance.now() - frozenMs).toBeLessThan(8_000);
    first.thaw();
    await until(() => isShared(database), 10_000);
    await strikeAll();
    await until(() => applied(32), 20_000);
    const [row] = await database.query<{ count: number; ids: number }>(strikes);
    expect(row?.ids).toBe(row?.count);
  } finally {
    await Promise.all([first, second].map((replica) => replica.end('SIGKILL')));
  }
}, 120_000);

it('partitions of a process that is cut off from the event store are taken over, and nothing is committed twice', async () => {
  const relay = await Relay.to(emulator.port);
  const cutOff = new Replica('cut off', true, `esdb://127.0.0.1:${relay.port}?tls=false`);
  const replicas = [cutOff, new Replica('other', true)];
  try {
    await Promise.all(replicas.map((replica) => replica.says('started')));
    const database = await open();
    await until(() => isShared(database), 10_000);
    const [{ count: before }] = (await database.query(strikes)) as [{ count: number }];
    const applied = async (more: number): Promise<boolean> =>
      (await database.query<{ count: number }>(strikes))[0]?.count === before + more;
    relay.freeze();
    await strikeAll();
    // Five seconds until it gives them up, as it still reaches Postgres, and one until the other process looks.
    await until(() => applied(16), 10_000);
    expect(await database.query(owners)).toEqual([{ owned: 16 }]);
    relay.thaw();
    await until(() => isShared(database), 20_000);
    await strikeAll();
    await until(() => applied(32), 20_000);
    const [row] = await database.query<{ count: number; ids: number }>(strikes);
    expect(row?.ids).toBe(row?.count);
  } finally {
    await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
    await relay.stop();
  }
}, 120_000);
