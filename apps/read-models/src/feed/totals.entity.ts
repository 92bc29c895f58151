import type { FeedKind } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Total, Totals } from './ranks';

/**
 * Reads how many lines of each kind these accounts ever had, and locks them: one transaction at a time numbers their
 * lines, also while the events of a sender who was set aside are applied, or late lines are moved.
 */
export async function readTotals(sql: Sql, accountIds: readonly string[]): Promise<Map<string, Totals>> {
  const rows = await sql.query<{ account_id: string; kind: FeedKind; total: string; latest_at: Date }>(
    `SELECT account_id, kind, total, latest_at FROM feed_totals WHERE account_id = ANY($1)
     ORDER BY account_id, kind FOR UPDATE`,
    [accountIds],
  );
  const found = new Map<string, Map<FeedKind, Total>>();
  for (const { account_id, kind, total, latest_at } of rows) {
    const totals = found.get(account_id) ?? new Map<FeedKind, Total>();
    found.set(account_id, totals.set(kind, { lines: Number(total), latestAt: latest_at.toISOString() }));
  }
  return found;
}

export async function writeTotals(
  sql: Sql,
  totals: readonly (Total & { readonly accountId: string; readonly kind: FeedKind })[],
): Promise<void> {
  const given = columns(
    { account_id: 'text', kind: 'text', total: 'bigint', latest_at: 'timestamptz' },
    totals,
    ({ accountId, kind, lines, latestAt }) => ({
      account_id: accountId,
      kind,
      total: lines,
      latest_at: latestAt,
    }),
  );
  await sql.query(
    `INSERT INTO feed_totals (${given.names}) SELECT * FROM ${given.rows}
     ON CONFLICT (account_id, kind) DO UPDATE SET total = excluded.total, latest_at = excluded.latest_at`,
    given.values,
  );
}
