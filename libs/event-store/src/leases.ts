import { randomUUID } from 'node:crypto';
import type { Database } from './database';

/** The duration of a lease, by the clock of Postgres and by that of its holder. */
const leaseMs = 4_000;
/** How often leases are renewed. Others try to take them as often, so a takeover takes five seconds at most. */
const renewMs = 1_000;
/** Names that are asked for within this time are tried in one statement. */
const gatherMs = 50;

/** A name that one process holds for a limited time, such as the right to write the rows of a projection. */
export class Lease {
  private readonly controller = new AbortController();

  constructor(
    private untilMs: number,
    /** False while its holder cannot do what it is for: then it is given up at the next renewal. */
    readonly isUsed: () => boolean = always,
  ) {}

  /** Aborted when the lease is over; up to a second late after a freeze of the process, unlike `isOver`. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** True once the lease is lost or released, or could not be renewed in time: another process may hold it. */
  get isOver(): boolean {
    if (performance.now() >= this.untilMs) this.end('it was not renewed in time');
    return this.signal.aborted;
  }

  renewed(untilMs: number): void {
    if (!this.isOver) this.untilMs = untilMs;
  }

  /** The reason is that of the signal. */
  end(reason: string): void {
    this.controller.abort(reason);
  }
}

interface Wanted {
  readonly isUsed: () => boolean;
  given(lease: Lease | undefined): void;
}

const always = (): boolean => true;

const perDatabase = new WeakMap<Database, Leases>();

/**
 * The leases of this process in one database: rows that end by the clock of Postgres (ADR 61). One statement a second
 * renews all of them. The holder stops by its own monotonic clock, which began before that of Postgres.
 */
export class Leases {
  private readonly holder = randomUUID();
  private readonly held = new Map<string, Lease>();
  private wanted = new Map<string, Wanted[]>();
  private trying: Promise<void> | undefined;
  private renewing = false;
  /** The names that replicas share out and that are leased, as of the last renewal. */
  private shared: ReadonlySet<string> = new Set();
  private readonly onRenewal = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  private readonly statements: Statements;

  /** Use `Leases.of`, which returns the one instance per database. */
  constructor(private readonly database: Database) {
    this.statements = statementsOn(`${database.schema}.leases`);
  }

  static of(database: Database): Leases {
    let leases = perDatabase.get(database);
    if (!leases) perDatabase.set(database, (leases = new Leases(database)));
    return leases;
  }

  /**
   * Takes the lease; undefined while anybody holds it, this process included. While `isUsed` says no it is not taken,
   * and given up.
   */
  async take(name: string, isUsed: () => boolean = always): Promise<Lease | undefined> {
    if (!isUsed()) return undefined;
    const taken = new Promise<Lease | undefined>((given) => {
      const waiting = this.wanted.get(name);
      if (waiting) waiting.push({ given, isUsed });
      else this.wanted.set(name, [{ given, isUsed }]);
    });
    await (this.trying ??= this.tryWanted());
    return taken;
  }

  /** Lets another process take the lease at once. If Postgres does not answer, the lease ends by itself. */
  async release(name: string): Promise<void> {
    const lease = this.held.get(name);
    if (!lease) return;
    this.drop(name, lease, 'it was released');
    await this.database.queryLeases(this.statements.release, [name, this.holder]);
  }

  /** The leased names that replicas share out (`sharedPrefixes`), whoever holds them. */
  async sharedNames(): Promise<ReadonlySet<string>> {
    if (this.held.size > 0) return this.shared;
    const rows = await this.database.queryLeases<{ name: string }>(this.statements.listShared, []);
    return new Set(rows.map(({ name }) => name));
  }

  /** Calls back after each renewal, until the returned function is called. */
  onRenewed(listener: () => void): () => void {
    this.onRenewal.add(listener);
    return () => this.onRenewal.delete(listener);
  }

  private async tryWanted(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, gatherMs));
    const { wanted } = this;
    this.wanted = new Map();
    this.trying = undefined;
    const names = [...wanted.keys()].filter((name) => !this.held.has(name)).sort();
    const untilMs = performance.now() + leaseMs;
    const taken =
      names.length > 0
        ? await this.database.queryLeases<{ name: string }>(this.statements.takeFree, [names, this.holder])
        : [];
    for (const { name } of taken) {
      const first = wanted.get(name)?.shift();
      const lease = new Lease(untilMs, first?.isUsed);
      // Postgres may have answered late.
      if (lease.isOver) {
        first?.given(undefined);
        continue;
      }
      this.held.set(name, lease);
      first?.given(lease);
    }
    for (const waiting of wanted.values()) for (const { given } of waiting) given(undefined);
    if (this.held.size > 0) this.timer ??= setInterval(() => void this.renew(), renewMs).unref();
  }

  private drop(name: string, lease: Lease, reason: string): void {
    lease.end(reason);
    if (this.held.get(name) === lease) this.held.delete(name);
    if (this.held.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async renew(): Promise<void> {
    for (const [name, lease] of this.held)
      if (lease.isOver) this.drop(name, lease, 'it is over');
      else if (!lease.isUsed()) this.release(name).catch(() => {});
    if (this.renewing || this.held.size === 0) return;
    this.renewing = true;
    const asked = new Map(this.held);
    const untilMs = performance.now() + leaseMs;
    try {
      const rows = await this.database.queryLeases<{ name: string; mine: boolean }>(
        this.statements.renewMine,
        [[...asked.keys()], this.holder],
      );
      const renewed = new Set(rows.filter(({ mine }) => mine).map(({ name }) => name));
      this.shared = new Set(rows.map(({ name }) => name).filter(isShared));
      for (const [name, lease] of asked)
        if (renewed.has(name)) lease.renewed(untilMs);
        else this.drop(name, lease, 'another process deleted or took it');
      for (const listener of this.onRenewal) listener();
    } catch {
      // Tried again in a second; without success the leases end.
    } finally {
      this.renewing = false;
    }
  }
}

const until = `now() + interval '${leaseMs} milliseconds'`;

/** Names that start like this are known to all holders. */
export const memberPrefix = 'member ';
export const partitionPrefix = 'partition ';
const isShared = (name: string): boolean => name.startsWith(memberPrefix) || name.startsWith(partitionPrefix);

type Statements = ReturnType<typeof statementsOn>;

function statementsOn(table: string) {
  const listShared = `SELECT name FROM ${table}
    WHERE until >= now() AND (starts_with(name, '${memberPrefix}') OR starts_with(name, '${partitionPrefix}'))`;
  return {
    release: `DELETE FROM ${table} WHERE name = $1 AND holder = $2`,
    listShared,
    /** Takes those that nobody holds. A lease that this process has given up is its own. */
    takeFree: `INSERT INTO ${table} AS l (name, holder, until)
      SELECT name, $2::uuid, ${until} FROM unnest($1::text[]) AS n (name)
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE l.until < now() OR l.holder = excluded.holder
      RETURNING name`,
    /**
     * Renews, and deletes what others have not renewed: a deleted lease cannot be renewed any more, so that it is over
     * for certain. Returns the renewed ones, and those of others that are shared.
     */
    renewMine: `WITH over AS (
        DELETE FROM ${table} WHERE name IN (
          SELECT name FROM ${table} WHERE until < now() AND holder <> $2 FOR UPDATE SKIP LOCKED)),
      mine AS (UPDATE ${table} SET until = ${until} WHERE holder = $2 AND name = ANY($1) RETURNING name)
      SELECT name, true AS mine FROM mine
      UNION ALL SELECT name, false FROM (${listShared} AND holder <> $2) others`,
  };
}
