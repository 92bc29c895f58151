import type { Sql } from '@carillon/event-store';
import type { Statements } from './windows.entity';

/**
 * For how long rows may lack a write: at most 25 s until its answer, and ten more until readers of late rows are
 * refused. A gateway counts on less, and writes a row at most every half minute for an account.
 */
const keptSeconds = 90;

/** Flushed before it is acknowledged: unlike other rows it cannot be made again from the log. */
const recordAll = `
  WITH flushed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true))
  INSERT INTO gateway_writes (account_id, gateway, until)
  SELECT n.id, $2::text, clock_timestamp() + interval '${keptSeconds} seconds'
  FROM unnest($1::text[]) AS n (id), flushed ORDER BY n.id
  ON CONFLICT (account_id, gateway) DO UPDATE SET until = excluded.until`;

/** Records that these accounts are about to write through a gateway. */
export async function recordWrites(
  statements: Statements,
  gateway: string,
  accountIds: readonly string[],
): Promise<void> {
  if (accountIds.length > 0) await statements.query(recordAll, [accountIds, gateway]);
}

// Never waits for a lock, so it cannot be part of a deadlock.
const forgetOld = `
  DELETE FROM gateway_writes WHERE (account_id, gateway) IN (
    SELECT account_id, gateway FROM gateway_writes WHERE until < now() LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

/** Removes expired rows, `limit` at most, and returns how many. */
export const forgetWrites = async (sql: Sql, limit: number): Promise<number> =>
  (await sql.query(forgetOld, [limit])).length;
