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

/** Reads the lines of an account that are younger than the given one and of its kind, for each of these. */
export async function readYounger(
  sql: Sql,
  lines: readonly (Ordered & OfAccount)[],
): Promise<Map<string, Ordered[]>> {
  const found = new Map<string, Ordered[]>();
  if (lines.length === 0) return found;
  const given = columns(
    { account_id: 'text', kind: 'text', at: 'timestamptz', id: 'text' },
    lines,
    ({ accountId, kind, at, id }) => ({ account_id: accountId, kind, at, id }),
    { as: 'o' },
  );
  const rows = await sql.query<YoungerRow>(
    `SELECT f.account_id, f.feed_id, f.kind, f.created_at FROM ${given.rows}
     JOIN feed_items f ON f.account_id = o.account_id AND f.kind = o.kind
       AND (f.created_at, f.feed_id) > (o.at, o.id)`,
    given.values,
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
