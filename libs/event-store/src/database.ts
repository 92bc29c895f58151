import pg from 'pg';
import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import { baseMigrations } from './migrations';
import type { Sql } from './sql';

type Class<T = object> = new () => T;

export interface DatabaseOptions {
  readonly url: string;
  /** The service's own schema, made when it is missing. */
  readonly schema: string;
  readonly entities?: readonly (Class | EntitySchema)[];
  /** The service's own; those that every schema has are added. */
  readonly migrations: readonly Class<MigrationInterface>[];
  /** Connections at most; `CARILLON_DB_POOL` or 8. */
  readonly poolSize?: number;
}

const identifier = /^[a-z_][a-z0-9_]{0,62}$/;

/** The tables of one service: a pool of connections whose unqualified names are those of the service's schema. */
export class Database {
  private readonly pool: pg.Pool;

  /** `Database.open` makes one that is ready. */
  constructor(
    readonly dataSource: DataSource,
    readonly schema: string,
    private readonly url: string,
  ) {
    this.pool = (dataSource.driver as unknown as { master: pg.Pool }).master;
  }

  /** Connects, makes the schema and brings its tables up to date. Several replicas may do so at once. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, schema, entities = [], migrations } = options;
    if (!identifier.test(schema)) throw new Error(`"${schema}" is no name for a schema`);
    const poolSize = options.poolSize ?? Number(process.env['CARILLON_DB_POOL'] ?? 8);
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      schema,
      entities: [...entities],
      migrations: [...new Set([...baseMigrations, ...migrations])],
      migrationsTransactionMode: 'each',
      installExtensions: false,
      applicationName: `carillon ${schema}`,
      poolSize,
      extra: { options: settings(schema), connectionTimeoutMillis: 10_000, keepAlive: true },
    });
    const gate = new pg.Client({ connectionString: url, keepAlive: true });
    gate.on('error', () => {});
    await gate.connect();
    try {
      await gate.query(`SELECT pg_advisory_lock(hashtextextended($1, 0))`, [`migrations of ${schema}`]);
      await gate.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
      await dataSource.initialize();
      await dataSource.runMigrations();
    } catch (error) {
      if (dataSource.isInitialized) await dataSource.destroy();
      throw error;
    } finally {
      await gate.end();
    }
    return new Database(dataSource, schema, url);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async query<T = any>(text: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const { rows } = await this.pool.query(prepared(text, parameters));
    return rows as T[];
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const after: (() => void)[] = [];
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work({
        query: async (text, parameters = []) => (await client.query(prepared(text, parameters))).rows,
        afterCommit: (call) => after.push(call),
      });
      await client.query('COMMIT');
      for (const call of after) call();
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** A connection beside the pool, such as for a lock that lives as long as it. Whoever takes it ends it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      options: settings(this.schema),
      application_name: `carillon ${this.schema}`,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    // Without a listener the loss of the connection would end the process.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

/**
 * A commit is not flushed before it is answered: rows and checkpoint go together, so what a crash of Postgres takes is
 * applied again from the log, and work that was done is at worst done twice.
 */
const settings = (schema: string): string => `-c search_path=${schema} -c synchronous_commit=off`;

const names = new Map<string, string>();
const mostNames = 500;

/** The same text is parsed and planned once a connection. Texts that are made anew each time stay unnamed. */
function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined && names.size < mostNames && values.length > 0) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return { text, values: values as unknown[], ...(name !== undefined && { name }) };
}
