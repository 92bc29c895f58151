import { Database, type Sql } from '@carillon/event-store';
import { type Instant, plus } from '@carillon/eventing';
import { Inject } from '@nestjs/common';
import { Clock } from './clock';
import { CommandQueue, type Enqueued } from './command-queue';

/** The maximum of rows that one transaction changes. */
const batchSize = 5_000;
/** After this, rows are tried again that other transactions had locked. */
const lockedMs = 1_000;

/** Rows that a command changes. */
export interface DueRows {
  /** `table WHERE condition`, with the values of the command from `$1` on: no row that was changed meets it. */
  readonly due: string;
  /** `DELETE FROM table` or `UPDATE table SET …`. */
  readonly change: string;
}

/**
 * Changes rows in batches, for events that concern more rows than a projection may change in the transaction of an
 * event. The projection of the rows enqueues a command; each batch is a transaction of its own.
 */
export abstract class RowBatches<Command extends object> extends CommandQueue<Command> {
  protected abstract readonly changes: readonly DueRows[];

  constructor(@Inject(Database) database: Database, @Inject(Clock) clock: Clock) {
    super(database, clock);
  }

  /** The values of all conditions and changes. */
  protected abstract valuesOf(command: Command): readonly unknown[];

  /** The copies of a rebuild are changed at once: they are not the queue's tables, and nobody waits for them. */
  protected async begin(sql: Sql, entry: Enqueued<Command>): Promise<void> {
    if (!sql.rebuilding) return this.enqueue(sql, entry);
    for (const rows of this.changes) await this.change(sql, rows, entry.command, null);
  }

  protected async execute(command: Command): Promise<Instant | void> {
    const changed = await this.database.transaction(async (sql) => {
      let count = 0;
      for (const rows of this.changes)
        if (count < batchSize) count += await this.change(sql, rows, command, batchSize - count);
      return count;
    });
    const now = this.clock.now();
    if (changed === batchSize) return now;
    // All tables in one snapshot: the projection moves text from one to another.
    const [found] = await this.database.query<{ any: boolean }>(
      `SELECT ${this.changes.map(({ due }) => `EXISTS (SELECT FROM ${due})`).join(' OR ')} AS any`,
      this.valuesOf(command),
    );
    if (found?.any) return changed > 0 ? now : plus(now, lockedMs);
  }

  /**
   * Changes `limit` rows at most, null for all, and returns how many. Never waits for a lock, so it cannot be part of a
   * deadlock. Rows of several partitions may have the same `ctid`.
   */
  private async change(
    sql: Sql,
    { due, change }: DueRows,
    command: Command,
    limit: number | null,
  ): Promise<number> {
    const values = this.valuesOf(command);
    const changed = await sql.query(
      `WITH due AS (
         SELECT tableoid AS part, ctid AS place FROM ${due}
         LIMIT $${values.length + 1}::integer FOR UPDATE SKIP LOCKED)
       ${change} WHERE ctid = ANY (ARRAY(SELECT place FROM due)) AND (tableoid, ctid) IN (SELECT part, place FROM due)
       RETURNING 1`,
      [...values, limit],
    );
    return changed.length;
  }
}
