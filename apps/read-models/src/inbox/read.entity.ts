import type { NotificationWithdrawnEvent } from '@carillon/contracts';
import type { Sql } from '@carillon/event-store';
import { isCovered, isUnread, itemsWithMarks, unreadCount } from './read-state';

/** Marks the matching unread items read and subtracts them from their projects' counts. */
export async function setRead(
  sql: Sql,
  at: string,
  matching: string,
  parameters: readonly unknown[],
): Promise<void> {
  await sql.query(
    `WITH found AS MATERIALIZED (
       SELECT i.account_id, i.item_id, i.project_id, e.item_id IS NOT NULL AS excepted
       FROM ${itemsWithMarks} WHERE ${matching} AND ${isUnread}),
     items AS (
       UPDATE inbox_items i SET read_at = $1::timestamptz FROM found f
       WHERE NOT f.excepted AND i.account_id = f.account_id AND i.item_id = f.item_id),
     exceptions AS (
       UPDATE inbox_exceptions e SET read_at = $1::timestamptz FROM found f
       WHERE f.excepted AND e.account_id = f.account_id AND e.item_id = f.item_id),
     counted AS (SELECT account_id, project_id, count(*) AS n FROM found GROUP BY 1, 2)
     UPDATE inbox_projects p SET unread_count = p.unread_count - c.n FROM counted c
     WHERE p.account_id = c.account_id AND p.project_id = c.project_id`,
    [at, ...parameters],
  );
}

export async function setUnread(sql: Sql, accountId: string, itemId: string): Promise<void> {
  await sql.query(
    `WITH found AS MATERIALIZED (
       SELECT i.account_id, i.item_id, i.project_id, i.created_at, ${isCovered} AS covered,
         ${unreadCount} AS unread_count, coalesce(a.cleared_revision, -1) AS cleared_revision
       FROM ${itemsWithMarks} WHERE i.account_id = $1 AND i.item_id = $2 AND NOT ${isUnread}),
     items AS (
       UPDATE inbox_items i SET read_at = NULL FROM found f
       WHERE NOT f.covered AND i.account_id = f.account_id AND i.item_id = f.item_id),
     exceptions AS (
       INSERT INTO inbox_exceptions (account_id, item_id, project_id, created_at)
       SELECT account_id, item_id, project_id, created_at FROM found WHERE covered
       ON CONFLICT (account_id, item_id) DO UPDATE SET read_at = NULL)
     UPDATE inbox_projects p SET unread_count = f.unread_count + 1,
       counted_revision = greatest(p.counted_revision, f.cleared_revision)
     FROM found f WHERE p.account_id = f.account_id AND p.project_id = f.project_id`,
    [accountId, itemId],
  );
}

/** A withdrawn item counts as read. */
export async function withdraw(sql: Sql, event: NotificationWithdrawnEvent): Promise<void> {
  const { notificationId, status, readers = null } = event;
  await sql.query(
    `UPDATE inbox_items SET status = $2 WHERE subject_id = $1 AND ($3::text[] IS NULL OR account_id = ANY($3))`,
    [notificationId, status, readers],
  );
  await setRead(
    sql,
    event.withdrawnAt,
    `i.subject_id = $2 AND ($3::text[] IS NULL OR i.account_id = ANY($3))`,
    [notificationId, readers],
  );
}
