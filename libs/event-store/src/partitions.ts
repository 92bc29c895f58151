import type { Database } from './database';
import type { Sql } from './sql';

/** A table that is partitioned by the time of its rows. */
export interface PartitionedTable {
  readonly table: string;
  /** The `timestamptz` column of the partition key. */
  readonly column: string;
  /** How many days its rows are kept; 0 for ever. */
  readonly days: number;
}

/** A partition has the rows from one time up to another; the one with the rest has no end. */
interface Partition {
  readonly name: string;
  /** As Postgres takes it after `PARTITION OF`. */
  readonly bound: string;
  readonly to: Date | null;
  /** The key of the table, as Postgres takes it after `PARTITION BY`. */
  readonly key: string;
}

const dayMs = 24 * 60 * 60 * 1000;
/**
 * The number of partitions for the days that rows are kept. Each costs all statements that cannot leave it out, and
 * rows are dropped up to one partition late.
 */
const count = 6;
/** No request may wait long behind a partition that waits for its lock. */
const lockTimeout = `SET LOCAL lock_timeout = '1s'`;

/**
 * The statements that create a table partitioned by `column`, for a migration. Rows without a partition for their time
 * are in `<table>_rest`.
 */
export const partitioned = (create: string, table: string, column: string): readonly string[] => [
  `${create} PARTITION BY RANGE (${column})`,
  `CREATE TABLE ${restOf(table)} PARTITION OF ${table} DEFAULT`,
];

/**
 * Adds the partitions of a table from the oldest row that is kept up to two partitions ahead. They follow each other
 * without a gap, except where rows of that time are in `<table>_rest` already. A table that is kept for ever has none.
 */
export async function addPartitions(
  database: Database,
  kept: PartitionedTable,
  nowMs: number,
): Promise<void> {
  const { table, column, days } = kept;
  if (days === 0) return;
  const widthMs = Math.ceil(days / count) * dayMs;
  await database.transaction(async (sql) => {
    await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `partitions of ${database.schema}.${table}`,
    ]);
    await sql.query(lockTimeout);
    const lastMs = Math.max(
      0,
      ...(await partitionsOf(sql, database.schema, table)).map(({ to }) => to?.getTime() ?? 0),
    );
    if (lastMs >= nowMs + 2 * widthMs) return;
    // A row that is being inserted into the rest would fail when a partition for its time is added meanwhile. Readers
    // wait, too: a transaction that has read the rest and then writes would be in a deadlock with what attaches.
    if (lastMs < nowMs + widthMs) await sql.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const [rest] = await sql.query<{ newest: Date | null }>(
      `SELECT max(${column}) AS newest FROM ${restOf(table)}`,
    );
    let fromMs = Math.max(
      floor(nowMs - days * dayMs, widthMs),
      lastMs,
      rest?.newest ? rest.newest.getTime() + 1 : 0,
    );
    while (fromMs < nowMs + 2 * widthMs) {
      const toMs = floor(fromMs, widthMs) + widthMs;
      await addPartition(sql, table, new Date(fromMs), new Date(toMs));
      fromMs = toMs;
    }
  });
}

const floor = (ms: number, stepMs: number): number => Math.floor(ms / stepMs) * stepMs;

/** A table that is attached does not lock its parent against reads and writes, as one that is created there would. */
async function addPartition(sql: Sql, table: string, from: Date, to: Date): Promise<void> {
  const name = `${table}_from_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
  await sql.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS)`);
  await sql.query(
    `ALTER TABLE ${table} ATTACH PARTITION ${name}
     FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
  );
}

/** The partitions of a table; none for a table that is not partitioned. */
const partitionsOf = (sql: Pick<Sql, 'query'>, schema: string, table: string): Promise<Partition[]> =>
  sql.query<Partition>(
    `SELECT name, bound, key, (regexp_match(bound, $$TO \\('([^']+)'\\)$$))[1]::timestamptz AS "to" FROM (
       SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound, pg_get_partkeydef(h.inhparent) AS key
       FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
       WHERE h.inhparent = format('%I.%I', $1::text, $2::text)::regclass) p
     ORDER BY "to"`,
    [schema, table],
  );

/**
 * Drops the partitions that end before a time. A partition is detached, which needs a lock of the table, and then
 * dropped: after a crash in between the next call drops it.
 */
export async function dropPartitions(database: Database, table: string, before: Date): Promise<void> {
  for (const { name, to } of await partitionsOf(database, database.schema, table))
    if (to && to <= before)
      await database.transaction(async (sql) => {
        await sql.query(lockTimeout);
        await sql.query(`ALTER TABLE ${table} DETACH PARTITION ${name}`);
      });
  const detached = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND NOT relispartition AND relname ~ $2`,
    [database.schema, `^${table}_from_[0-9]{8}$`],
  );
  for (const { name } of detached)
    await database.transaction((sql) => sql.query(`DROP TABLE IF EXISTS ${name}`));
}

/** The partition with the rows whose time has no other. */
const restOf = (table: string): string => `${table}_rest`;

/** Deletes rows from before a time that are in no partition, `limit` at most, and returns how many. */
export async function deleteRest(
  sql: Sql,
  { table, column }: PartitionedTable,
  before: Date,
  limit: number,
): Promise<number> {
  const deleted = await sql.query(
    `DELETE FROM ${restOf(table)} WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM ${restOf(table)} WHERE ${column} < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`,
    [before.toISOString(), limit],
  );
  return deleted.length;
}

/** Creates a copy of a table with the same columns, indexes and partitions in another schema. */
export async function copyTable(sql: Sql, schema: string, copies: string, table: string): Promise<void> {
  const partitions = await partitionsOf(sql, schema, table);
  const [first] = partitions;
  await sql.query(
    `CREATE TABLE "${copies}"."${table}" (LIKE "${schema}"."${table}" INCLUDING ALL)
     ${first ? `PARTITION BY ${first.key}` : ''}`,
  );
  for (const { name, bound } of partitions)
    await sql.query(`CREATE TABLE "${copies}"."${name}" PARTITION OF "${copies}"."${table}" ${bound}`);
}

/** Moves a table with its partitions to another schema, in place of the table that it is a copy of. */
export async function moveTable(sql: Sql, from: string, to: string, table: string): Promise<void> {
  const partitions = await partitionsOf(sql, from, table);
  for (const name of [table, ...partitions.map((partition) => partition.name)]) {
    // A partition that was detached since, and is not dropped yet, has the name too.
    await sql.query(`DROP TABLE IF EXISTS "${to}"."${name}"`);
    await sql.query(`ALTER TABLE "${from}"."${name}" SET SCHEMA "${to}"`);
  }
}
