import { columns, type Sql } from '@carillon/event-store';
import type { FeedLine } from './entry';
import type { Rank } from './ranks';

export async function addLines(
  sql: Sql,
  entries: readonly (FeedLine & Rank & { readonly late: boolean })[],
): Promise<void> {
  const given = columns(
    {
      account_id: 'text',
      sender_id: 'text',
      created_at: 'timestamptz',
      feed_id: 'text',
      rank: 'bigint',
      kind: 'text',
      kind_rank: 'bigint',
      source_name: 'text',
      source_image_url: 'text',
      title: 'text',
      detail: 'text',
      url: 'text',
      result: 'text',
      late: 'boolean',
    },
    entries,
    (entry) => ({
      account_id: entry.accountId,
      sender_id: entry.senderId,
      created_at: entry.at,
      feed_id: entry.id,
      rank: entry.rank,
      kind: entry.kind,
      kind_rank: entry.kindRank,
      source_name: entry.sourceName,
      source_image_url: entry.sourceImageUrl,
      title: entry.title,
      detail: entry.detail,
      url: entry.url,
      result: entry.result,
      late: entry.late,
    }),
  );
  await sql.query(`INSERT INTO feed_items (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}
