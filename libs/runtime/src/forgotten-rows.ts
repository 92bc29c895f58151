import { Database, type Sql } from '@carillon/event-store';
import { type Instant, plus } from '@carillon/eventing';
import { Inject } from '@nestjs/common';
import { Clock } from './clock';
import { type Cause, CommandQueue } from './command-queue';

/** The maximum of rows that one transaction changes. */
const batchSize = 5_000;
/** After this, rows are tried again that other transactions had locked. */
const lockedMs = 1_000;

/** Rows of a deleted account that are to be changed. */
export interface ForgottenRow {
  /** `table WHERE condition`, with the account as `$1`: no row that was changed meets the condition. */
  readonly due: string;
  /** `DELETE FROM table` or `UPDATE table SET …`. */
  readonly change: string;
}

interface Command {
  readonly accountId: string;
}

/** Changes the rows of deleted accounts in batches. The projection of the rows enqueues the account. */
export abstract class ForgottenRows extends CommandQueue<Command> {
  protected abstract readonly changes: readonly ForgottenRow[];

  constructor(@Inject(Database) database: Database, @Inject(Clock) clock: Clock) {
    super(database, clock);
  }

  /** The copies of a rebuild are changed at once: they are not the queue's tables, and nobody waits for them. */
  async forget(sql: Sql, accountId: string, from: Cause): Promise<void> {
    if (sql.rebuilding) for (const rows of this.changes) await sql.query(changing(rows), [accountId, null]);
    else await this.enqueue(sql, { key: accountId, command: { accountId }, from });
  }

  protected async execute({ accountId }: Command): Promise<Instant | void> {
    const changed = await this.database.transaction(async (sql) => {
      let count = 0;
      for (const rows of this.changes)
        if (count < batchSize)
          count += (await sql.query(changing(rows), [accountId, batchSize - count])).length;
      return count;
    });
    const now = this.clock.now();
    if (changed === batchSize) return now;
    // All tables in one snapshot: the projection moves text from one to another.
    const [found] = await this.database.query<{ any: boolean }>(
      `SELECT ${this.changes.map(({ due }) => `EXISTS (SELECT FROM ${due})`).join(' OR ')} AS any`,
      [accountId],
    );
    if (found?.any) return changed > 0 ? now : plus(now, lockedMs);
  }
}

/**
 * `$2` is the maximum of rows. Never waits for a lock, so it cannot be part of a deadlock. Rows of several partitions
 * may have the same `ctid`.
 */
const changing = ({ due, change }: ForgottenRow): string =>
  `WITH due AS (SELECT tableoid AS part, ctid AS place FROM ${due} LIMIT $2::integer FOR UPDATE SKIP LOCKED)
   ${change} WHERE ctid = ANY (ARRAY(SELECT place FROM due)) AND (tableoid, ctid) IN (SELECT part, place FROM due)
   RETURNING 1`;
