import { Refused, errorFieldsOf } from '@carillon/eventing';
import { numberSetting } from '@carillon/settings';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Migration, migrate } from './migrate';
import { baseMigrations } from './migrations';
import { Pipeline } from './pipeline';
import { SharedConnection } from './shared-connection';
import type { Sql } from './sql';
import { startupOptions } from './startup-options';
import { kindOf } from './unfit';

export interface DatabaseOptions {
  readonly url: string;
  /** The service's own schema; created when missing. */
  readonly schema: string;
  /** The service's own migrations; the base migrations of every schema are added. */
  readonly migrations: readonly Migration[];
  /** The maximum number of connections, besides the one that short reads share; `CARILLON_DB_POOL` or 8. */
  readonly poolSize?: number;
  /** The timeout of a query, including the wait for a connection; `CARILLON_DB_QUERY_SECONDS` or 4. */
  readonly querySeconds?: number;
  /** The timeout of one statement of a transaction; `CARILLON_DB_STATEMENT_SECONDS` or 60. */
  readonly statementSeconds?: number;
}

/** How a start waits for a Postgres that does not answer. */
export interface WaitOptions {
  /** Called with the reason for the wait, and again when the reason changes. */
  readonly waiting?: (why: string) => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

export interface TransactionOptions {
  /** No statement timeout: for a rebuild of tables, for which no request waits. */
  readonly unhurried?: boolean;
}

/**
 * Postgres cannot be reached, went away, or did not answer in time. A refusal, since the caller can be told to retry:
 * rows that were not written are restored from the log.
 */
export class DatabaseUnavailable extends Refused {
  override readonly name = 'DatabaseUnavailable';
  /** The SQLSTATE, such as `57P01`, or the system error code, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('database.unavailable');
    const { code, message } = errorFieldsOf(cause);
    this.message = `Postgres is not available: ${message || code}`;
    this.code = typeof code === 'string' ? code : undefined;
    this.cause = cause;
  }
}

const identifier = /^[a-z_][a-z0-9_]{0,62}$/;
/** The maximum wait for a lock, and the maximum idle time in a transaction. */
const lockSeconds = 10;
const idleSeconds = 5;
/** Of a transaction without a statement timeout, which reads the log in between, and outside the pool. */
const unhurriedIdleSeconds = 60;
/** The pause between two attempts to migrate while Postgres does not answer. */
const pauseMs = 500;
/** The timeout of a statement about leases. Shorter than a lease, so that a silent connection is replaced. */
const leasesMs = 3_000;
/** The client's timeout is longer than the server's by this, so that a working server reports the timeout itself. */
const graceMs = 500;

/** The tables of one service: a pool of connections whose unqualified names are those of the service's schema. */
export class Database {
  /** How many connections were lost. After a loss another Postgres may answer, which lacks the newest rows. */
  losses = 0;
  private closing: Promise<void> | undefined;
  /** The connections outside the pool. */
  private readonly outside = new Set<pg.Client>();
  private shared: SharedConnection | undefined;

  private constructor(
    readonly schema: string,
    private readonly url: string,
    private readonly pool: pg.Pool,
    private readonly pipeline: Pipeline,
    private readonly connection: pg.ClientConfig,
    private readonly limits: TimeLimits,
  ) {}

  /**
   * Connects, creates the schema and runs its migrations; waits while Postgres does not answer. Several replicas may do
   * so at once.
   */
  static async open(options: DatabaseOptions, waits: WaitOptions = {}): Promise<Database> {
    const { url, schema } = options;
    if (!identifier.test(schema)) throw new Error(`"${schema}" is no name for a schema`);
    const limits: TimeLimits = {
      queryMs:
        (options.querySeconds ?? numberSetting('CARILLON_DB_QUERY_SECONDS', 4, { max: 3_600 })) * 1_000,
      statementMs:
        (options.statementSeconds ?? numberSetting('CARILLON_DB_STATEMENT_SECONDS', 60, { max: 86_400 })) *
        1_000,
    };
    const migrations = [...baseMigrations, ...options.migrations];
    await whenAvailable(`The migrations of ${schema}`, () => migrate({ ...options, migrations }), waits);
    const connection: pg.ClientConfig = {
      connectionString: url,
      application_name: nameOf(schema),
      options: settings(schema, limits),
      connectionTimeoutMillis: limits.queryMs,
      keepAlive: true,
    };
    const pool = new pg.Pool({
      ...connection,
      max: options.poolSize ?? numberSetting('CARILLON_DB_POOL', 8, { max: 1_000 }),
    });
    const pipeline = new Pipeline(connection, () => database.onLoss());
    const database = new Database(schema, url, pool, pipeline, connection, limits);
    // A listener for the whole life of a client: without one the loss of its connection would end the process. The
    // running query fails with the loss.
    pool.on('connect', (client) => client.on('error', database.onLoss));
    pool.on('error', () => {});
    return database;
  }

  /** Runs one statement. Throws `DatabaseUnavailable` when Postgres does not answer within the timeout. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async query<T = any>(text: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const until = Date.now() + this.limits.queryMs;
    const client = await this.client();
    return this.using(client, () => ask<T>(client, text, parameters, Math.max(1, until - Date.now())));
  }

  /**
   * As `query`, for one SELECT that an index answers at once, such as a page: on one shared connection. Under load it
   * costs Postgres a third less. Not for a search, a write, or a wait for a lock: all later reads would wait for it.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async read<T extends object = any>(text: string, parameters: readonly unknown[] = []): Promise<T[]> {
    try {
      return await this.pipeline.ask<T>(prepared(text, parameters), this.limits.queryMs);
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * Runs one statement about leases, which names its schema, on a connection that the databases of this process share:
   * no statement of a service delays it.
   */
  async queryLeases<T extends object>(text: string, values: readonly unknown[]): Promise<T[]> {
    this.refuseWhenClosed();
    this.shared ??= SharedConnection.take(this.url, nameOf(this.schema), leasesMs, this.onLoss);
    try {
      return await this.shared.ask<T>(text, values);
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  }

  async transaction<T>(
    work: (sql: Sql) => Promise<T>,
    { unhurried = false }: TransactionOptions = {},
  ): Promise<T> {
    const client = await this.client();
    const after: (() => void)[] = [];
    const maxMs = unhurried ? 0 : this.limits.statementMs;
    const limitMs = unhurried ? 0 : maxMs + graceMs;
    const result = await this.using(client, async () => {
      const idle = unhurried
        ? `; SET LOCAL idle_in_transaction_session_timeout = '${unhurriedIdleSeconds}s'`
        : '';
      await ask(client, `BEGIN; SET LOCAL statement_timeout = ${maxMs}${idle}`, [], limitMs);
      try {
        const done = await work({
          query: (text, parameters = []) => ask(client, text, parameters, limitMs),
          afterCommit: (call) => after.push(call),
        });
        await ask(client, 'COMMIT', [], limitMs);
        return done;
      } catch (error) {
        // A connection that did not answer is closed, and its transaction with it.
        if (!(error instanceof DatabaseUnavailable)) await ask(client, 'ROLLBACK', [], limitMs);
        throw error;
      }
    });
    for (const call of after) call();
    return result;
  }

  /** A connection outside the pool. Ended by the caller, or else when the database is closed. */
  async connect(): Promise<pg.Client> {
    const { statementMs } = this.limits;
    this.refuseWhenClosed();
    const client = new pg.Client({
      ...this.connection,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: unhurriedIdleSeconds * 1_000,
      query_timeout: statementMs + graceMs,
    });
    // Without a listener the loss of the connection would end the process.
    client.on('error', this.onLoss);
    client.once('end', () => this.outside.delete(client));
    try {
      await client.connect();
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
    this.outside.add(client);
    if (this.closing) await client.end();
    this.refuseWhenClosed();
    return client;
  }

  close(): Promise<void> {
    const outside = [...this.outside].map((client) => client.end());
    return (this.closing ??= Promise.all([
      this.pool.end(),
      this.pipeline.close(),
      this.shared?.release(this.onLoss),
      ...outside,
    ]).then(() => {}));
  }

  private readonly onLoss = (): void => {
    this.losses += 1;
  };

  private refuseWhenClosed(): void {
    if (this.closing) throw new DatabaseUnavailable(new Error('The database was closed'));
  }

  /** Releases the client after the work; a client with a broken connection is not used again. */
  private async using<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
    let broken = false;
    try {
      return await work();
    } catch (error) {
      broken = error instanceof DatabaseUnavailable;
      if (broken) this.losses += 1;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private async client(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  }
}

/** What Postgres shows of a connection. */
const nameOf = (schema: string): string => `carillon ${schema}`;

interface TimeLimits {
  readonly queryMs: number;
  readonly statementMs: number;
}

/** Does work of a start, and again while Postgres does not answer or a lock is held; `what` then waits for it. */
export async function whenAvailable<T>(
  what: string,
  work: () => Promise<T>,
  waits: WaitOptions = {},
): Promise<T> {
  for (let told: string | undefined; ;)
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) && !isLocked(error)) throw error;
      waits.signal?.throwIfAborted();
      const waiting = isLocked(error) ? `${what} wait for a lock` : 'Postgres does not answer yet';
      const why = `${waiting}: ${kindOf(error)}`;
      if (why !== told) waits.waiting?.((told = why));
      await sleep(pauseMs, undefined, waits.signal ? { signal: waits.signal } : {});
    }
}

/**
 * A commit is acknowledged before it is flushed: rows and checkpoint are lost together, so events lost in a crash of
 * Postgres are applied again from the log, and a job is at worst executed twice.
 */
const settings = (schema: string, { queryMs }: TimeLimits): string =>
  startupOptions({
    search_path: schema,
    synchronous_commit: 'off',
    statement_timeout: queryMs,
    lock_timeout: lockSeconds * 1_000,
    idle_in_transaction_session_timeout: idleSeconds * 1_000,
  });

/** Runs a query with the timeout `limitMs`; 0 is none. */
async function ask<T>(
  client: pg.PoolClient,
  text: string,
  parameters: readonly unknown[],
  limitMs: number,
): Promise<T[]> {
  try {
    const query = { ...prepared(text, parameters), query_timeout: limitMs };
    return (await client.query(query)).rows;
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** Classes of SQLSTATE: connection, resources, operator intervention (except a wrong database name), system error. */
const transientStates = /^(08|53|57|58)...$|^25P03$|^55P03$/;
const transientCodes = /^E[A-Z_]+$/;
/** Errors of the driver itself have no code. */
const transientMessages = /^(Connection terminated|Query read timeout|timeout e|Client (has|was) )/;

/** What the service answers 503 to, where it is that, and anything else as it is. */
const asUnavailable = (error: unknown): unknown =>
  isTransient(error) ? new DatabaseUnavailable(error) : error;

function isTransient(error: unknown): boolean {
  const { code, message } = errorFieldsOf(error);
  return typeof code === 'string'
    ? transientStates.test(code) || transientCodes.test(code)
    : transientMessages.test(String(message));
}

/** Not for a wrong address or certificate: Node's own errors do not pass by waiting. */
const isAway = (error: unknown): boolean =>
  (isTransient(error) || error instanceof DatabaseUnavailable) &&
  !String(errorFieldsOf(error).code).startsWith('ERR_');

/** A lock timeout, or a deadlock with the statement of a killed process, which Postgres still executes. */
const isLocked = (error: unknown): boolean => /^(55P03|40P01)$/.test(String(errorFieldsOf(error).code));

const names = new Map<string, string>();
const maxNames = 500;

/**
 * The same text is parsed and planned once per connection. Texts beyond the maximum stay unnamed, and no name is ever
 * removed, since the connections keep their prepared statements.
 */
function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined && names.size < maxNames && values.length > 0) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return { text, values: values as unknown[], ...(name !== undefined && { name }) };
}
