import { setTimeout as pause } from 'node:timers/promises';
import { instant } from '@carillon/eventing';
import { startPostgres } from '@carillon/testkit';
import { backlogOf } from './backlog';
import { Database } from './database';
import { until } from './event-store.contract.spec';
import { LeaseOwner } from './owner';
import { Queue, type QueueClock } from './queue';
import type { Backlog, LeaseClaim, LeasedJobs, RowLease } from './queue-terms';
import { QueueRunner } from './queue-runner';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({ url: postgres.url, schema: 'work', migrations: [] });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

const clock: QueueClock = {
  ms: () => Date.parse('2026-11-20T09:00:00Z'),
  now: () => instant(Date.parse('2026-11-20T09:00:00Z')),
  onAdvance: () => () => {},
};

interface Job {
  readonly id: number;
  readonly accountId: string;
}

/** A queue whose jobs end when the test ends them. */
class Bells extends Queue<Job> {
  readonly name = 'bells';
  override readonly capacity = 20;
  readonly underWay = new Map<Job, () => void>();

  async take({ owner, ownedSeconds, available, fullAccounts }: LeaseClaim): Promise<LeasedJobs<Job>> {
    const jobs = await database.query<Job>(
      `UPDATE bells SET owner = $1, owned_until = now() + make_interval(secs => $2) WHERE id IN (
         SELECT id FROM bells WHERE owner IS NULL AND account_id <> ALL ($4)
         ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING id, account_id AS "accountId"`,
      [owner, ownedSeconds, available, fullAccounts],
    );
    return { jobs, more: jobs.length === available };
  }

  renew(jobs: readonly Job[], { owner, ownedSeconds }: RowLease): Promise<unknown> {
    return database.query(
      `UPDATE bells SET owned_until = now() + make_interval(secs => $1) WHERE owner = $2 AND id = ANY($3)`,
      [ownedSeconds, owner, jobs.map(({ id }) => id)],
    );
  }

  override accountOf({ accountId }: Job): string {
    return accountId;
  }

  async do(job: Job): Promise<void> {
    await new Promise<void>((resolve) => this.underWay.set(job, resolve));
    this.underWay.delete(job);
    await database.query(`DELETE FROM bells WHERE id = $1`, [job.id]);
  }

  async postpone(): Promise<void> {}

  async release(which: string): Promise<number> {
    const rows = await database.query(
      `UPDATE bells SET owner = NULL, owned_until = NULL WHERE ${which} RETURNING 1`,
    );
    return rows.length;
  }

  async backlog(): Promise<Backlog> {
    return backlogOf(database, '(SELECT *, now() AS due_at FROM bells) b WHERE owner IS NULL', []);
  }

  about({ id }: Job): object {
    return { id };
  }

  of(accountId: string): number {
    return [...this.underWay.keys()].filter((job) => job.accountId === accountId).length;
  }
}

const logger = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

it('a queue leaves half of its free capacity to other accounts, however many jobs of one account are due', async () => {
  await database.query(
    `CREATE TABLE bells (id serial PRIMARY KEY, account_id text NOT NULL, owner integer, owned_until timestamptz)`,
  );
  await database.query(`INSERT INTO bells (account_id) SELECT 'flood' FROM generate_series(1, 100)`);
  const bells = new Bells();
  const queueRunner = new QueueRunner(database, clock, [bells], logger);
  await queueRunner.start();
  await until(() => bells.of('flood') >= 10);
  await database.query(`INSERT INTO bells (account_id) VALUES ('neighbour')`);
  bells.kick();
  await until(() => bells.of('neighbour') === 1);
  expect(bells.of('flood')).toBe(10);
  expect(await queueRunner.statuses()).toEqual([
    { queue: 'bells', due: 90, oldestSeconds: expect.any(Number), leased: 11, dead: undefined },
  ]);

  // Ended jobs free capacity for as many others, and no job is left over.
  while (bells.underWay.size > 0 || (await database.query(`SELECT 1 FROM bells`)).length > 0) {
    for (const end of bells.underWay.values()) end();
    // With the account just under its half, a take leases at most half of the free capacity.
    expect(bells.of('flood')).toBeLessThanOrEqual(15);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await queueRunner.stop();
});

it('a row that Postgres leased after this process had stopped waiting is leased again when its lease expires', async () => {
  const hasty = await Database.open({ url: postgres.url, schema: 'work', migrations: [], querySeconds: 1 });
  const begun: number[] = [];
  class Hasty extends Bells {
    thawed: Promise<void> | undefined;
    override async take({ owner, ownedSeconds }: LeaseClaim): Promise<LeasedJobs<Job>> {
      if (begun.length === 1 && !this.thawed) {
        const thaw = postgres.freeze();
        // Longer than the process waits for an answer, shorter than its lease.
        this.thawed = new Promise((resolve) => setTimeout(() => resolve(thaw()), 2_300));
      }
      const jobs = await hasty.query<Job>(
        `UPDATE bells SET owner = $1, owned_until = now() + make_interval(secs => $2) WHERE owner IS NULL
         RETURNING id, account_id AS "accountId"`,
        [owner, ownedSeconds],
      );
      return { jobs, more: false };
    }
    override do(job: Job): Promise<void> {
      begun.push(job.id);
      return super.do(job);
    }
  }
  const bells = new Hasty();
  const queueRunner = new QueueRunner(hasty, clock, [bells], logger);
  await database.query(`INSERT INTO bells (id, account_id) VALUES (1001, 'leased')`);
  await queueRunner.start();
  await until(() => begun.length === 1);
  await database.query(`INSERT INTO bells (id, account_id) VALUES (1002, 'orphaned')`);
  await until(() => bells.thawed !== undefined);
  await bells.thawed;
  const owned = `SELECT id FROM bells WHERE owner IS NOT NULL ORDER BY id`;
  await until(async () => (await database.query(owned)).length === 2);
  expect(begun).toEqual([1001]);

  // The lease of the job that is executed is renewed; nobody renews the other one.
  await until(() => begun.length > 1, 60_000);
  expect(begun).toEqual([1001, 1002]);
  await pause(2_000);
  expect(begun).toEqual([1001, 1002]);
  for (const end of bells.underWay.values()) end();
  await until(async () => (await database.query(`SELECT 1 FROM bells`)).length === 0);
  await queueRunner.stop();
  await hasty.close();
});

/** A queue whose rows another component writes as leased. */
class HandedBells extends Bells {
  /** What a look waits for, once it has its rows. */
  held: Promise<void> | undefined;
  looks = 0;

  override claim(): LeaseClaim | undefined {
    return super.claim();
  }

  override takeOver(job: Job, claim: LeaseClaim): void {
    super.takeOver(job, claim);
  }

  override get mayHaveMore(): boolean {
    return super.mayHaveMore;
  }

  override async take(claim: LeaseClaim): Promise<LeasedJobs<Job>> {
    const taken = await super.take(claim);
    this.looks += 1;
    await this.held;
    return taken;
  }
}

it('a queue that stops or has lost its lease begins no job that was written under an earlier claim', async () => {
  const bells = new HandedBells();
  const queueRunner = new QueueRunner(database, clock, [bells], logger);
  await queueRunner.start();
  const job = (id: number): Job => ({ id, accountId: 'handed' });
  const ids = (): number[] => [...bells.underWay.keys()].map(({ id }) => id);
  const lost = bells.claim()!;
  bells.takeOver(job(1), lost);
  expect(ids()).toEqual([1]);

  await database.query(`DELETE FROM leases`);
  await until(() => bells.claim() !== undefined && bells.claim()!.owner !== lost.owner);
  bells.takeOver(job(2), lost);
  expect(ids()).toEqual([1]);

  const claim = bells.claim()!;
  const stopped = queueRunner.stop();
  bells.takeOver(job(3), claim);
  expect(ids()).toEqual([1]);
  for (const end of bells.underWay.values()) end();
  await stopped;
});

it('a queue that is still looking for due jobs may have more of them', async () => {
  const bells = new HandedBells();
  const queueRunner = new QueueRunner(database, clock, [bells], logger);
  await queueRunner.start();
  await until(() => !bells.mayHaveMore);
  let go = (): void => {};
  bells.held = new Promise((resolve) => (go = resolve));
  const { looks } = bells;
  await until(() => bells.looks > looks);
  expect(bells.mayHaveMore).toBe(true);
  go();
  await until(() => !bells.mayHaveMore);
  await queueRunner.stop();
});

const nobodyOwns = async (): Promise<void> => {
  await until(async () => (await database.query(`SELECT FROM leases`)).length === 0);
};

it('a queue that is stopped while its start waits for the lease of its owner does not start', async () => {
  await database.query(`INSERT INTO bells (account_id) VALUES ('late')`);
  const bells = new Bells();
  const queueRunner = new QueueRunner(database, clock, [bells], logger);
  const thaw = postgres.freeze();
  const starting = queueRunner.start();
  await queueRunner.stop();
  thaw();
  await starting;
  bells.kick();
  await bells.run();
  await nobodyOwns();
  expect(await database.query(`SELECT owner FROM bells`)).toEqual([{ owner: null }]);
});

it('an owner that leaves while it waits for its lease releases it', async () => {
  const owner = new LeaseOwner(database, logger);
  const joining = owner.join();
  await owner.leave();
  await joining;
  await nobodyOwns();
});

it('an owner that loses its lease says why, and takes another number', async () => {
  const said: object[] = [];
  const owner = new LeaseOwner(database, { ...logger, warn: (fields: object) => said.push(fields) });
  await owner.join();
  const { me } = owner;
  await database.query(`DELETE FROM leases`);
  await until(() => owner.me !== undefined && owner.me !== me);
  expect(said).toEqual([{ owner: me, reason: 'another process deleted or took it' }]);
  await owner.leave();
  await nobodyOwns();
});
