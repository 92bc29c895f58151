import { type Recorded, errorFieldsOf } from '@carillon/eventing';
import type { Database } from './database';
import type { LogBatch } from './event-store';
import { Extent } from './extent';
import { beginCheckpoints } from './checkpoints';
import type { Log } from './log';
import { createSchema } from './migrate';
import { copyTable, moveTable } from './partitions';
import { type AnyProjection, selection } from './selection';
import type { Sql } from './sql';

const dayMs = 24 * 60 * 60 * 1_000;
const readSize = 1_000;
const batchSize = 500;
const switchTries = 5;
/** Lock timeout and deadlock: worth a retry. */
const worthAnotherTry = new Set<unknown>(['55P03', '40P01']);

/** Another process rebuilds the rows of the projection. */
export class RebuildRunning extends Error {
  override readonly name = 'RebuildRunning';

  constructor(projection: string) {
    super(`The projection ${projection} is being rebuilt already`);
  }
}

/**
 * Rebuilds a projection's rows: replays the log, or what of it they need, into copies of its tables in the schema
 * `<schema>_rebuild`, catches up while the live projection is blocked, and replaces the live tables by the copies.
 * Readers see the old rows until then. Rows that others wrote into those tables are lost. The signal ends it while it
 * reads the log.
 */
export async function rebuild(
  database: Database,
  log: Log,
  projection: AnyProjection,
  signal?: AbortSignal,
): Promise<{ events: number }> {
  const guard = await database.connect();
  try {
    const { rows } = await guard.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked`,
      [`rebuild of ${database.schema}.${projection.name}`],
    );
    if (!rows[0]?.locked) throw new RebuildRunning(projection.name);
    return await new Rebuild(database, log, projection, signal).run();
  } finally {
    await guard.end();
  }
}

class Rebuild {
  private readonly copies: string;
  private readonly select;
  private position = 0n;
  private events = 0;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly projection: AnyProjection,
    private readonly signal?: AbortSignal,
  ) {
    this.copies = `${database.schema}_rebuild`;
    this.select = selection(projection);
  }

  async run(): Promise<{ events: number }> {
    await this.copyTables();
    try {
      this.position = await this.start();
      await this.replay();
      await this.transaction(async (sql) => {
        for (const table of this.projection.tables) await sql.query(`ANALYZE "${this.copies}"."${table}"`);
      });
      for (let tries = 1; ; tries += 1) {
        try {
          await this.replaceLive();
          return { events: this.events };
        } catch (error) {
          if (tries === switchTries || !worthAnotherTry.has(errorFieldsOf(error).code)) throw error;
        }
      }
    } finally {
      await this.transaction((sql) => this.dropCopies(sql));
    }
  }

  private async copyTables(): Promise<void> {
    const { database, copies } = this;
    await this.transaction(async (sql) => {
      // Two rebuilds may create the schema at once.
      await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`schema ${copies}`]);
      await sql.query(createSchema(copies));
      await this.dropCopies(sql);
      for (const table of this.projection.tables) await copyTable(sql, database.schema, copies, table);
    });
  }

  private async start(): Promise<bigint> {
    const { neededDays = 0 } = this.projection;
    if (neededDays === 0) return 0n;
    return new Extent(this.log.store).beforeNewest({
      sinceMs: Date.now() - neededDays * dayMs,
      most: Infinity,
      counts: () => false,
      signal: this.signal ?? new AbortController().signal,
    });
  }

  /** Without a statement timeout: the log may be long, and no request waits. */
  private transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.database.transaction(work, { unhurried: true });
  }

  private async dropCopies(sql: Sql): Promise<void> {
    for (const table of this.projection.tables)
      await sql.query(`DROP TABLE IF EXISTS "${this.copies}"."${table}"`);
  }

  /** Applies the log to the copies up to its end. The next batch is read while one is applied. */
  private async replay(): Promise<void> {
    let next = this.read(this.position);
    for (;;) {
      const { last, end, events } = await next;
      this.signal?.throwIfAborted();
      if (last === undefined) return;
      if (!end) {
        next = this.read(last);
        next.catch(() => {});
      }
      const handled = this.select(await this.log.open(events));
      for (let start = 0; start < handled.length; start += batchSize)
        await this.transaction((sql) => this.apply(sql, handled.slice(start, start + batchSize)));
      this.position = last;
      this.events += handled.length;
      if (end) return;
    }
  }

  private read(after: bigint): Promise<LogBatch> {
    return this.log.store.readAll(after, readSize);
  }

  private async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    if (events.length === 0) return;
    await sql.query(`SET LOCAL search_path = "${this.copies}"`);
    await this.projection.apply(
      { query: (text, parameters) => sql.query(text, parameters), rebuilding: true },
      events,
    );
    await sql.query(`SET LOCAL search_path = "${this.database.schema}"`);
  }

  private async replaceLive(): Promise<void> {
    const { database } = this;
    const { name, tables } = this.projection;
    let { position, events } = this;
    await this.transaction(async (sql) => {
      await sql.query(`SET LOCAL lock_timeout = '10s'`);
      await beginCheckpoints(sql, this.projection, this.log);
      // The live projection moves a checkpoint before it writes rows, so that these locks stop it.
      const rows = await sql.query<{ position: string }>(
        `SELECT position FROM projection_checkpoints WHERE name = $1 ORDER BY partition FOR UPDATE`,
        [name],
      );
      const live = rows
        .map((row) => BigInt(row.position))
        .reduce((most, each) => (each > most ? each : most), 0n);
      while (position < live) {
        const { last, events: raw } = await this.read(position);
        if (last === undefined) break;
        const handled = this.select(await this.log.open(raw));
        await this.apply(sql, handled);
        position = last;
        events += handled.length;
      }
      await sql.query(`DELETE FROM set_aside WHERE projection = $1`, [name]);
      await sql.query(
        `LOCK TABLE ${tables.map((table) => `"${database.schema}"."${table}"`).join(', ')} IN ACCESS EXCLUSIVE MODE`,
      );
      for (const table of tables) await this.swap(sql, table);
      await sql.query(
        `UPDATE projection_checkpoints
         SET position = $2, set_aside_version = NULL, rows_version = $3, updated_at = now() WHERE name = $1`,
        [name, String(position), this.projection.version],
      );
    });
    this.position = position;
    this.events = events;
  }

  private async swap(sql: Sql, table: string): Promise<void> {
    const { copies } = this;
    const { schema } = this.database;
    const live = await indexes(sql, schema, table);
    const copied = await indexes(sql, copies, table);
    await moveTable(sql, copies, schema, table);
    // Postgres names the copied indexes itself; later migrations need the original names.
    const renames = copied.map(({ name, definition }, index) => {
      const found = live.findIndex((candidate) => candidate.definition === definition);
      const [match] = found < 0 ? [] : live.splice(found, 1);
      return { from: name, between: `${table.slice(0, 40)}_swap_${index}`, to: match?.name ?? name };
    });
    for (const { from, between } of renames)
      await sql.query(`ALTER INDEX "${schema}"."${from}" RENAME TO "${between}"`);
    for (const { between, to } of renames)
      await sql.query(`ALTER INDEX "${schema}"."${between}" RENAME TO "${to}"`);
  }
}

/** The indexes of a table, with their definitions without the names. */
async function indexes(
  sql: Sql,
  schema: string,
  table: string,
): Promise<{ name: string; definition: string }[]> {
  const rows = await sql.query<{ name: string; definition: string }>(
    `SELECT c.relname AS name, pg_get_indexdef(c.oid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = format('%I.%I', $1::text, $2::text)::regclass ORDER BY c.relname`,
    [schema, table],
  );
  return rows.map(({ name, definition }) => ({
    name,
    definition: definition.replace(/^CREATE (UNIQUE )?INDEX .+? ON .+? USING /, '$1'),
  }));
}
