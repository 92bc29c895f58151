import { columns, type Sql } from '@carillon/event-store';
import type { FeedLine } from './entry';
import type { Rank } from './ranks';

export async function addLines(sql: Sql, entries: readonly (FeedLine & Rank)[]): Promise<void> {
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
    }),
  );
  await sql.query(`INSERT INTO feed_items (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** Clears the text of lines that come from the account, in the feeds of all accounts, as in the log. */
export async function forgetLines(sql: Sql, accountId: string): Promise<void> {
  await sql.query(
    `UPDATE feed_items SET source_name = '', source_image_url = NULL, title = '', url = NULL,
       detail = CASE kind WHEN 'live_activity' THEN NULL ELSE '' END
     WHERE (account_id = $1 AND sender_id IS NULL) OR sender_id = $1`,
    [accountId],
  );
  await sql.query(
    `UPDATE feed_prompts SET source_name = '', source_image_url = NULL, title = '', detail = '', url = NULL
     WHERE account_id = $1`,
    [accountId],
  );
  await sql.query(
    `UPDATE feed_activities SET source_name = '', title = '', detail = NULL, url = NULL WHERE account_id = $1`,
    [accountId],
  );
}
