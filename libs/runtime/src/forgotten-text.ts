import { type Instant, plus } from '@carillon/eventing';
import type { Sql } from '@carillon/event-store';
import { type Cause, CommandQueue } from './command-queue';

/** The maximum of rows that one transaction clears. */
const batchSize = 5_000;
/** After this, rows are tried again that other transactions had locked. */
const lockedMs = 1_000;

/** The rows of a table that contain text of accounts. */
export interface TextRows {
  readonly table: string;
  /** SQL for each column with text: its value without the text, as in rows that are rebuilt without the key. */
  readonly cleared: Readonly<Record<string, string>>;
  /** Whether `sender_id` names the account whose text a row has, if that is not its `account_id`. */
  readonly shared: boolean;
}

interface Command {
  readonly accountId: string;
}

/**
 * Clears the text of deleted accounts from the rows of a projection. The projection enqueues the account, and readers
 * see its rows without text from then on; the rows themselves are cleared in batches. A projection that writes text
 * which it has read from such a row must lock the row as it reads it.
 */
export abstract class ForgottenText extends CommandQueue<Command> {
  protected abstract readonly rows: readonly TextRows[];

  /** The copies of a rebuild are cleared at once: they are not in the queue's tables, and few of them have text. */
  async forget(sql: Sql, accountId: string, from: Cause): Promise<void> {
    if (sql.rebuilding) for (const of of this.rows) await sql.query(clearing(of), [accountId, null]);
    else await this.enqueue(sql, { key: accountId, command: { accountId }, from });
  }

  protected async execute({ accountId }: Command): Promise<Instant | void> {
    const cleared = await this.database.transaction(async (sql) => {
      let count = 0;
      for (const of of this.rows)
        if (count < batchSize)
          count += (await sql.query(clearing(of), [accountId, batchSize - count])).length;
      return count;
    });
    const now = this.clock.now();
    if (cleared === batchSize) return now;
    // All tables in one snapshot: the projection moves text from one to another.
    const [found] = await this.database.query<{ any: boolean }>(
      `SELECT ${this.rows.map((of) => `EXISTS (SELECT FROM ${withText(of)})`).join(' OR ')} AS any`,
      [accountId],
    );
    if (found?.any) return cleared > 0 ? now : plus(now, lockedMs);
  }
}

/**
 * SQL for readers: the columns of the table with text, without that of accounts that are still in the queue, and the
 * join that it needs.
 */
export function readableText(
  queue: string,
  { cleared, shared }: TextRows,
): { readonly columns: string; readonly join: string } {
  const columns = Object.entries(cleared).map(
    ([column, value]) => `CASE WHEN forgotten.here THEN ${value} ELSE ${column} END AS ${column}`,
  );
  return {
    columns: columns.join(', '),
    join: `LEFT JOIN LATERAL (
        SELECT true AS here FROM timers
        WHERE timers.queue = '${queue}' AND timers.key = ${shared ? 'coalesce(sender_id, account_id)' : 'account_id'}
      ) forgotten ON true`,
  };
}

/** `$1` is the account. */
function withText({ table, cleared, shared }: TextRows): string {
  const whose = shared ? `((account_id = $1 AND sender_id IS NULL) OR sender_id = $1)` : `account_id = $1`;
  const [columns, values] = [Object.keys(cleared), Object.values(cleared)];
  return `${table} WHERE ${whose} AND ROW(${columns.join(', ')}) IS DISTINCT FROM ROW(${values.join(', ')})`;
}

/** `$2` is the maximum of rows. Never waits for a lock, so it cannot be part of a deadlock. */
function clearing(of: TextRows): string {
  const assignments = Object.entries(of.cleared).map(([column, value]) => `${column} = ${value}`);
  return `UPDATE ${of.table} SET ${assignments.join(', ')}
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${withText(of)} LIMIT $2::integer FOR UPDATE SKIP LOCKED))
    RETURNING 1`;
}
