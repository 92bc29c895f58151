import { columns, type Sql } from '@carillon/event-store';
import { statusOf } from './inbox';
import { type Item, itemId, pendingReceipts } from './item';
import { isCovered } from './read-state';

export async function addItems(sql: Sql, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const given = columns(
    {
      account_id: 'text',
      sender_id: 'text',
      item_id: 'text',
      subject_id: 'text',
      origin: 'text',
      project_id: 'text',
      source_name: 'text',
      source_image_url: 'text',
      title: 'text',
      preview: 'text',
      body: 'text',
      summary: 'text',
      body_format: 'text',
      url: 'text',
      image_url: 'text',
      app_id: 'text',
      status: 'text',
      receipts: 'jsonb',
      created_at: 'timestamptz',
    },
    items,
    (item) => ({
      account_id: item.accountId,
      sender_id: item.senderId,
      item_id: itemId(item),
      subject_id: item.subjectId,
      origin: item.origin,
      project_id: item.projectId,
      source_name: item.sourceName,
      source_image_url: item.sourceImageUrl,
      title: item.title,
      preview: item.preview,
      body: item.body,
      summary: item.summary,
      body_format: item.bodyFormat,
      url: item.url,
      image_url: item.imageUrl,
      app_id: item.appId,
      status: statusOf(0, item.deviceIds.length, false),
      receipts: item.senderId === null ? JSON.stringify(pendingReceipts(item)) : null,
      created_at: item.at,
    }),
  );
  // What arrives late, below a mark, is unread all the same.
  await sql.query(
    `WITH i AS (INSERT INTO inbox_items (${given.names}) SELECT * FROM ${given.rows} RETURNING *)
     INSERT INTO inbox_exceptions (account_id, item_id, project_id, created_at)
     SELECT i.account_id, i.item_id, i.project_id, i.created_at
     FROM i JOIN inbox_marks a USING (account_id) LEFT JOIN inbox_projects p USING (account_id, project_id)
     WHERE ${isCovered}`,
    given.values,
  );
}
