import type { Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { isUnread, itemsWithMarks } from './read-state';

/*
 * What is past its time leaves the inbox. Each of these changes `limit` rows at most and returns how many. The
 * projection must not write rows meanwhile.
 */

/** What an index for this alone has in order. */
const age = `(i.created_at AT TIME ZONE 'UTC')`;

/**
 * Deletes the oldest items from before a time. Their part of the counts goes with them, so that counts and lists agree
 * for every reader. A project goes with its last item, unless a prompt has named it since.
 */
export async function deleteItems(sql: Sql, before: Instant, limit: number): Promise<number> {
  const [row] = await sql.query<{ expired: number }>(
    `WITH expired AS MATERIALIZED (
       SELECT i.account_id, i.item_id, i.project_id, ${isUnread} AS is_unread
       FROM ${itemsWithMarks} WHERE ${age} < $1::timestamptz AT TIME ZONE 'UTC'
       ORDER BY ${age}, i.item_id LIMIT $2),
     items AS (
       DELETE FROM inbox_items i USING expired x WHERE i.account_id = x.account_id AND i.item_id = x.item_id),
     exceptions AS (
       DELETE FROM inbox_exceptions e USING expired x
       WHERE e.account_id = x.account_id AND e.item_id = x.item_id),
     counted AS (
       SELECT account_id, project_id, count(*) AS total, count(*) FILTER (WHERE is_unread) AS unread
       FROM expired GROUP BY 1, 2),
     emptied AS (
       DELETE FROM inbox_projects p USING counted c
       WHERE p.account_id = c.account_id AND p.project_id = c.project_id
         AND p.total_count <= c.total AND p.prompted_at IS NULL),
     shrunk AS (
       UPDATE inbox_projects p SET
         unread_count = p.unread_count - c.unread,
         total_count = p.total_count - c.total,
         (latest_item_id, latest_at) = (SELECT p.latest_item_id, p.latest_at WHERE p.total_count > c.total)
       FROM counted c
       WHERE p.account_id = c.account_id AND p.project_id = c.project_id
         AND (p.total_count > c.total OR p.prompted_at IS NOT NULL))
     SELECT count(*)::integer AS expired FROM expired`,
    [before, limit],
  );
  return row?.expired ?? 0;
}

/** Deletes the projects without items that the last prompt named before a time. */
export async function deletePrompted(sql: Sql, before: Instant, limit: number): Promise<number> {
  const expired = await sql.query(
    `WITH expired AS MATERIALIZED (
       SELECT account_id, project_id, total_count FROM inbox_projects WHERE prompted_at < $1 LIMIT $2),
     emptied AS (
       DELETE FROM inbox_projects p USING expired x
       WHERE p.account_id = x.account_id AND p.project_id = x.project_id AND x.total_count = 0),
     others AS (
       UPDATE inbox_projects p SET prompted_at = NULL FROM expired x
       WHERE p.account_id = x.account_id AND p.project_id = x.project_id AND x.total_count > 0)
     SELECT FROM expired`,
    [before, limit],
  );
  return expired.length;
}

/** Deletes the marks of many items that cover only items from before a time. */
export async function deleteReads(sql: Sql, before: Instant, limit: number): Promise<number> {
  const deleted = await sql.query(
    `WITH expired AS (SELECT account_id, revision FROM inbox_reads WHERE through_at < $1 LIMIT $2)
     DELETE FROM inbox_reads r USING expired x
     WHERE r.account_id = x.account_id AND r.revision = x.revision RETURNING 1`,
    [before, limit],
  );
  return deleted.length;
}
