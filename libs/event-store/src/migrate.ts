import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { startupOptions } from './startup-options';

/** A change of a schema. It goes forward only, and is never edited once it has been released: see docs/upgrades.md. */
export interface Migration {
  /** Unique in its schema. Ends with the 13 digits by which migrations are ordered, such as a time in milliseconds. */
  readonly name: string;
  /**
   * After `expand` the programs of the previous release still work; `contract` removes what they needed, in a later
   * release than the one that stopped using it.
   */
  readonly phase: 'expand' | 'contract';
  readonly statements: readonly string[];
  /**
   * For an index of a large table, or a change of many rows. Such a migration has no transaction: each statement is
   * executed by itself, and again until it changes no row. After a kill the migration starts again from its first
   * statement, so a batch must find only rows that are not changed yet.
   */
  readonly long?: boolean;
}

export interface Migrated {
  readonly url: string;
  readonly schema: string;
  readonly migrations: readonly Migration[];
}

/**
 * Shorter than the timeout of a query: requests wait behind a migration that waits for its lock. The migration fails
 * and is tried again, and the requests are answered in between.
 */
const lockSeconds = 2;
/** Nothing waits behind an index that is created concurrently, while it waits for all older transactions. */
const indexLockSeconds = 600;

const concurrentIndex = /^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s+(\w+)/i;

/** Runs the migrations, one replica at a time, on its own connections: a statement of a migration has no timeout. */
export async function migrate({ url, schema, migrations }: Migrated): Promise<void> {
  const gate = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    options: startupOptions(),
  });
  gate.on('error', () => {});
  await gate.connect();
  try {
    if (await areExecuted(gate, schema, migrations)) return;
    await gate.query(`SELECT pg_advisory_lock(hashtextextended($1, 0))`, [`migrations of ${schema}`]);
    await gate.query(createSchema(schema));
    await execute({ url, schema, migrations });
  } finally {
    await gate.end();
  }
}

/** Most starts find all of them executed, and need neither the lock nor TypeORM, which takes long to load. */
async function areExecuted(
  gate: pg.Client,
  schema: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  const table = `"${schema}".migrations`;
  const { rows } = await gate.query<{ exists: boolean }>(`SELECT to_regclass($1) IS NOT NULL AS exists`, [
    table,
  ]);
  if (!rows[0]?.exists) return false;
  const executed = await gate.query<{ name: string }>(`SELECT name FROM ${table}`);
  const names = new Set(executed.rows.map(({ name }) => name));
  return migrations.every(({ name }) => names.has(name));
}

async function execute({ url, schema, migrations }: Migrated): Promise<void> {
  const { DataSource } = await import('typeorm');
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations: migrations.map(classOf),
    migrationsTransactionMode: 'each',
    installExtensions: false,
    applicationName: `carillon ${schema} migrations`,
    poolSize: 1,
    extra: {
      options: startupOptions({ search_path: schema, lock_timeout: `${lockSeconds}s` }),
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    },
  });
  try {
    await dataSource.initialize();
    await dataSource.runMigrations();
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/**
 * Creates a schema that is missing. Postgres refuses `CREATE SCHEMA IF NOT EXISTS` to a role that may create none, even
 * when the schema is there.
 */
export const createSchema = (schema: string): string =>
  `DO $$ BEGIN
     IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA IF NOT EXISTS "${schema}"; END IF;
   END $$`;

/** TypeORM creates its migrations itself. */
const classOf = ({ name, statements, long = false }: Migration): new () => MigrationInterface =>
  class {
    readonly name = name;
    readonly transaction = !long;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await (long ? repeat : once)(runner, statement);
    }

    down(): Promise<void> {
      return Promise.reject(new Error('Migrations go forward only.'));
    }
  };

async function once(runner: QueryRunner, statement: string): Promise<void> {
  await runner.query(statement);
}

async function repeat(runner: QueryRunner, statement: string): Promise<void> {
  const index = concurrentIndex.exec(statement)?.[1];
  if (index === undefined) {
    while (await changesRows(runner, statement));
    return;
  }
  await runner.query(`SET lock_timeout = '${indexLockSeconds}s'`);
  // A killed process leaves an index that is written to and never read.
  const [invalid] = await runner.query(
    `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid`,
    [index],
  );
  if (invalid !== undefined) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  await runner.query(statement);
  await runner.query('RESET lock_timeout');
}

async function changesRows(runner: QueryRunner, statement: string): Promise<boolean> {
  const { affected } = await runner.query(statement, [], true);
  return (affected ?? 0) > 0;
}
