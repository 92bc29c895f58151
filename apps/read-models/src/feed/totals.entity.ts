import type { FeedKind } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Totals } from './ranks';

/** Reads how many lines of each kind these accounts have. */
export async function readTotals(sql: Sql, accountIds: readonly string[]): Promise<Map<string, Totals>> {
  const rows = await sql.query<{ account_id: string; kind: FeedKind; total: string }>(
    `SELECT account_id, kind, total FROM feed_totals WHERE account_id = ANY($1)`,
    [accountIds],
  );
  const found = new Map<string, Map<FeedKind, number>>();
  for (const { account_id, kind, total } of rows)
    found.set(account_id, (found.get(account_id) ?? new Map()).set(kind, Number(total)));
  return found;
}

export async function writeTotals(
  sql: Sql,
  totals: readonly { readonly accountId: string; readonly kind: FeedKind; readonly total: number }[],
): Promise<void> {
  const given = columns(
    { account_id: 'text', kind: 'text', total: 'bigint' },
    totals,
    ({ accountId, kind, total }) => ({ account_id: accountId, kind, total }),
  );
  await sql.query(
    `INSERT INTO feed_totals (${given.names}) SELECT * FROM ${given.rows}
     ON CONFLICT (account_id, kind) DO UPDATE SET total = excluded.total`,
    given.values,
  );
}
