import type { Sql } from '@carillon/event-store';

/** Clears the text of items that a deleted account sent to others, as in the log. */
export async function forgetSent(sql: Sql, accountId: string): Promise<void> {
  // Resets project names that came from the account's items, unless the project also has items of its owner.
  await sql.query(
    `UPDATE inbox_projects p SET name = p.project_id FROM inbox_items i
     WHERE i.sender_id = $1 AND p.account_id = i.account_id AND p.project_id = i.project_id AND NOT EXISTS (
       SELECT FROM inbox_items o
       WHERE o.account_id = p.account_id AND o.project_id = p.project_id AND o.sender_id IS NULL)`,
    [accountId],
  );
  await sql.query(
    `UPDATE inbox_projects p SET latest_title = '', latest_preview = '', latest_image_url = NULL FROM inbox_items i
     WHERE i.sender_id = $1 AND p.account_id = i.account_id AND p.latest_item_id = i.item_id`,
    [accountId],
  );
  await sql.query(
    `UPDATE inbox_items SET source_name = '', source_image_url = NULL, title = '', preview = '', body = '',
       summary = NULL, url = NULL, image_url = NULL
     WHERE sender_id = $1`,
    [accountId],
  );
}

/** All rows of an inbox. */
export const inboxTables = [
  'inbox_items',
  'inbox_projects',
  'inbox_marks',
  'inbox_reads',
  'inbox_exceptions',
];
