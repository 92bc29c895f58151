import type { FeedKind } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Ordered, Rank } from './ranks';

interface OfAccount {
  readonly accountId: string;
}

interface YoungerRow {
  account_id: string;
  feed_id: string;
  kind: FeedKind;
  created_at: Date;
}

/** The most lines that one transaction renumbers. */
export const maxMoved = 1_000;

/**
 * Reads the newest lines of accounts, down to the oldest one that is younger than the given line and of its kind, at
 * most `most` of each account; null for all. `top` is the highest number of the account.
 */
export async function readYounger(
  sql: Sql,
  lines: readonly (Ordered & OfAccount & { readonly top: number })[],
  most: number | null,
): Promise<Map<string, Ordered[]>> {
  const found = new Map<string, Ordered[]>();
  if (lines.length === 0) return found;
  const given = columns(
    { account_id: 'text', kind: 'text', at: 'timestamptz', id: 'text', top: 'bigint' },
    lines,
    ({ accountId, kind, at, id, top }) => ({ account_id: accountId, kind, at, id, top }),
    { as: 'o', from: 2 },
  );
  const rows = await sql.query<YoungerRow>(
    `SELECT f.account_id, f.feed_id, f.kind, f.created_at FROM (
       SELECT o.account_id, greatest(min(y.rank), max(o.top) - $1::bigint + 1) AS lowest FROM ${given.rows}
       CROSS JOIN LATERAL (
         SELECT rank FROM feed_items
         WHERE account_id = o.account_id AND kind = o.kind AND (created_at, feed_id) > (o.at, o.id)
         ORDER BY created_at DESC, feed_id DESC LIMIT $1) y
       GROUP BY o.account_id) l
     JOIN feed_items f ON f.account_id = l.account_id AND f.rank >= l.lowest`,
    [most, ...given.values],
  );
  for (const { account_id, feed_id, kind, created_at } of rows) {
    const younger = found.get(account_id) ?? [];
    younger.push({ id: feed_id, kind, at: created_at.toISOString() });
    found.set(account_id, younger);
  }
  return found;
}

/** Renumbers lines. */
export async function moveLines(sql: Sql, moved: readonly (Ordered & Rank & OfAccount)[]): Promise<void> {
  if (moved.length === 0) return;
  const given = columns(
    {
      account_id: 'text',
      kind: 'text',
      at: 'timestamptz',
      id: 'text',
      rank: 'bigint',
      kind_rank: 'bigint',
    },
    moved,
    ({ accountId, kind, at, id, rank, kindRank }) => ({
      account_id: accountId,
      kind,
      at,
      id,
      rank,
      kind_rank: kindRank,
    }),
  );
  await sql.query(
    `UPDATE feed_items f SET rank = n.rank, kind_rank = n.kind_rank FROM ${given.rows}
     WHERE f.account_id = n.account_id AND f.kind = n.kind AND f.created_at = n.at AND f.feed_id = n.id`,
    given.values,
  );
}
