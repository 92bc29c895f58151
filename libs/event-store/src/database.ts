import { Refused, errorFieldsOf } from '@carillon/eventing';
import { setting } from '@carillon/settings';
import pg from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { baseMigrations } from './migrations';
import { Pipeline } from './pipeline';
import type { Sql } from './sql';

type Class<T = object> = new () => T;

export interface DatabaseOptions {
  readonly url: string;
  /** The service's own schema, made when it is missing. */
  readonly schema: string;
  /** The service's own; those that every schema has are added. */
  readonly migrations: readonly Class<MigrationInterface>[];
  /** Connections at most, beside the one that short reads share; `CARILLON_DB_POOL` or 8. */
  readonly poolSize?: number;
  /** How long somebody who asks waits for a query, the connection included; `CARILLON_DB_QUERY_SECONDS` or 4. */
  readonly querySeconds?: number;
  /** How long one statement of a transaction may take; `CARILLON_DB_STATEMENT_SECONDS` or 60. */
  readonly statementSeconds?: number;
}

export interface TransactionOptions {
  /** Its statements may take as long as they need: who makes tables anew, and nobody waits for it. */
  readonly unhurried?: boolean;
}

/**
 * Postgres cannot be reached, went away, or did not answer in time. A refusal, since whoever asked can be told to try
 * again: what was to be written into rows comes back from the log.
 */
export class DatabaseUnavailable extends Refused {
  override readonly name = 'DatabaseUnavailable';
  /** What Postgres called it, such as `57P01`, or the system, such as `ECONNREFUSED`. */
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
/** Who waits longer for a row that another holds, or holds one and does nothing, gives up. */
const lockSeconds = 10;
const idleSeconds = 60;
/** So much longer than the server: it says itself that it took too long, unless it cannot say anything. */
const graceMs = 500;

/** The tables of one service: a pool of connections whose unqualified names are those of the service's schema. */
export class Database {
  /**
   * When Postgres last did not answer, by `performance.now()`: what was asked then may have happened, or happen later,
   * and nobody here hears of it.
   */
  unansweredMs = -Infinity;
  private closing: Promise<void> | undefined;

  private constructor(
    readonly schema: string,
    private readonly pool: pg.Pool,
    private readonly pipeline: Pipeline,
    private readonly connection: pg.ClientConfig,
    private readonly limits: TimeLimits,
  ) {}

  /** Connects, makes the schema and brings its tables up to date. Several replicas may do so at once. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, schema } = options;
    if (!identifier.test(schema)) throw new Error(`"${schema}" is no name for a schema`);
    const limits: TimeLimits = {
      queryMs: (options.querySeconds ?? positive('CARILLON_DB_QUERY_SECONDS', 4)) * 1_000,
      statementMs: (options.statementSeconds ?? positive('CARILLON_DB_STATEMENT_SECONDS', 60)) * 1_000,
    };
    await migrate(options);
    const connection: pg.ClientConfig = {
      connectionString: url,
      application_name: `carillon ${schema}`,
      options: settings(schema, limits),
      connectionTimeoutMillis: limits.queryMs,
      keepAlive: true,
    };
    const pool = new pg.Pool({
      ...connection,
      max: options.poolSize ?? positive('CARILLON_DB_POOL', 8),
    });
    // For as long as a client lives, also while it is out: without a listener the loss of its connection would end
    // the process. Whoever uses it hears of the loss from the query.
    pool.on('connect', (client) => client.on('error', () => {}));
    pool.on('error', () => {});
    return new Database(schema, pool, new Pipeline(connection), connection, limits);
  }

  /** One statement, answered in time. Throws `DatabaseUnavailable` when Postgres does not. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async query<T = any>(text: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const until = Date.now() + this.limits.queryMs;
    const client = await this.client();
    return this.using(client, () => ask<T>(client, text, parameters, Math.max(1, until - Date.now())));
  }

  /**
   * As `query`, for one SELECT that an index answers at once, such as a page: on a connection that all of these share. When
   * many ask, it takes a third less of Postgres. Nothing that searches, writes, or waits for a lock: all behind it would wait.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async read<T extends object = any>(text: string, parameters: readonly unknown[] = []): Promise<T[]> {
    try {
      return await this.pipeline.ask<T>(prepared(text, parameters), this.limits.queryMs);
    } catch (error) {
      throw asUnavailable(error);
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
      await ask(client, `BEGIN; SET LOCAL statement_timeout = ${maxMs}`, [], limitMs);
      try {
        const done = await work({
          query: (text, parameters = []) => ask(client, text, parameters, limitMs),
          afterCommit: (call) => after.push(call),
        });
        await ask(client, 'COMMIT', [], limitMs);
        return done;
      } catch (error) {
        // A connection that did not answer is given up, and its transaction with it.
        if (!(error instanceof DatabaseUnavailable)) await ask(client, 'ROLLBACK', [], limitMs);
        throw error;
      }
    });
    for (const call of after) call();
    return result;
  }

  /** A connection beside the pool, such as for a lock that lives as long as it. Whoever takes it ends it. */
  async connect(): Promise<pg.Client> {
    const { statementMs } = this.limits;
    const client = new pg.Client({
      ...this.connection,
      statement_timeout: statementMs,
      query_timeout: statementMs + graceMs,
    });
    // Without a listener the loss of the connection would end the process.
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
    return client;
  }

  close(): Promise<void> {
    return (this.closing ??= Promise.all([this.pool.end(), this.pipeline.close()]).then(() => {}));
  }

  /** Gives the client back when the work is done; one with a broken connection is not used again. */
  private async using<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
    let broken = false;
    try {
      return await work();
    } catch (error) {
      broken = error instanceof DatabaseUnavailable;
      if (broken) this.unansweredMs = performance.now();
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

interface TimeLimits {
  readonly queryMs: number;
  readonly statementMs: number;
}

/** Brings the tables up to date, one replica at a time, on connections of its own: a migration takes as long as it takes. */
async function migrate({ url, schema, migrations }: DatabaseOptions): Promise<void> {
  const gate = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  gate.on('error', () => {});
  await gate.connect();
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations: [...new Set([...baseMigrations, ...migrations])],
    migrationsTransactionMode: 'each',
    installExtensions: false,
    applicationName: `carillon ${schema} migrations`,
    poolSize: 1,
    extra: { options: `-c search_path=${schema}`, connectionTimeoutMillis: 10_000, keepAlive: true },
  });
  try {
    await gate.query(`SELECT pg_advisory_lock(hashtextextended($1, 0))`, [`migrations of ${schema}`]);
    await gate.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    await dataSource.initialize();
    await dataSource.runMigrations();
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await gate.end();
  }
}

function positive(name: string, fallback: number): number {
  const value = Number(setting(name, String(fallback)));
  if (!(value > 0)) throw new Error(`The setting ${name} must be a number above 0`);
  return value;
}

/**
 * A commit is not flushed before it is answered: rows and checkpoint go together, so what a crash of Postgres takes is
 * applied again from the log, and work that was done is at worst done twice.
 */
const settings = (schema: string, { queryMs }: TimeLimits): string =>
  Object.entries({
    search_path: schema,
    synchronous_commit: 'off',
    statement_timeout: queryMs,
    lock_timeout: lockSeconds * 1_000,
    idle_in_transaction_session_timeout: idleSeconds * 1_000,
  })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Asks, `limitMs` at most; 0 is without end. */
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

/** Classes of SQLSTATE: connection, resources, operator intervention (but a wrong database name), the server's system. */
const transientStates = /^(08|53|57|58)...$|^25P03$|^55P03$/;
const transientCodes = /^E[A-Z_]+$/;
/** What the driver says itself has no code. */
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

const names = new Map<string, string>();
const maxNames = 500;

/**
 * The same text is parsed and planned once a connection. Texts that are made anew each time stay unnamed, and no name
 * is forgotten: the connections keep what they planned.
 */
function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined && names.size < maxNames && values.length > 0) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return { text, values: values as unknown[], ...(name !== undefined && { name }) };
}
