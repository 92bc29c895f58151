import { sortedBy } from '@carillon/signing';

/**
 * Whether an item is read, in SQL. "Read up to here" is a watermark: one of the account for all projects, and one of
 * each project. Items up to one of them are covered: read, unless they are exceptions, which have a state of their own.
 * Items that no watermark covers have their `read_at`.
 */
export const itemsWithMarks = `inbox_items i
  LEFT JOIN inbox_projects p USING (account_id, project_id)
  LEFT JOIN inbox_marks a USING (account_id)
  LEFT JOIN inbox_exceptions e USING (account_id, item_id)`;

/** How items and exceptions are sorted. Watermarks are of this order: a list sorted otherwise needs other marks. */
export const itemOrder = sortedBy(['created_at', 'desc'], ['item_id', 'desc']).of('i');

/** What watermarks compare. */
export const key = `(i.created_at, i.item_id)`;

export const isCovered = `(coalesce(${key} <= (a.through_at, a.through_id), false)
  OR coalesce(${key} <= (p.through_at, p.through_id), false))`;

export const isUnread = `(CASE WHEN e.item_id IS NOT NULL THEN e.read_at IS NULL
  ELSE i.read_at IS NULL AND NOT ${isCovered} END)`;

const firstReadOf = (projects: string): string =>
  `(SELECT revision, read_at FROM inbox_reads
    WHERE account_id = i.account_id AND ${projects} AND (through_at, through_id) >= ${key}
    ORDER BY through_at, through_id LIMIT 1)`;

/** Of an item that several marks cover, the first one counts. */
export const readTime = `CASE WHEN e.item_id IS NOT NULL THEN e.read_at ELSE coalesce(i.read_at,
  (SELECT r.read_at FROM (
    ${firstReadOf('project_id IS NULL')} UNION ALL ${firstReadOf('project_id = i.project_id')}) r
   ORDER BY r.revision LIMIT 1)) END`;

/** The unread items of a project. A mark of all projects can set all counts to zero without writing them. */
export const unreadCount = `(CASE WHEN p.counted_revision >= coalesce(a.cleared_revision, -1)
  THEN p.unread_count ELSE 0 END)`;

/**
 * The ids of the newest unread items of the account $1, at most `limit`, that meet a condition, optionally of one
 * project. The items of a page are from the projects whose newest unread items are the newest.
 */
export function newestUnread(limit: string, condition: string, project?: string): string {
  const newest = (count: string, of: string) =>
    `(SELECT i.created_at, i.item_id FROM inbox_items i
      WHERE i.account_id = $1 AND i.project_id = ${of}.project_id AND i.read_at IS NULL
        AND ${key} > (${of}.through_at, ${of}.through_id) AND ${condition}
      ORDER BY ${itemOrder.by} LIMIT ${count})`;
  return `
    WITH open AS MATERIALIZED (
      SELECT p.project_id, w.through_at, w.through_id
      FROM inbox_projects p LEFT JOIN inbox_marks a USING (account_id)
      CROSS JOIN LATERAL (
        SELECT * FROM (VALUES (p.through_at, p.through_id), (a.through_at, a.through_id)) w (through_at, through_id)
        ORDER BY through_at DESC NULLS LAST, through_id DESC LIMIT 1) w
      WHERE p.account_id = $1 AND ${unreadCount} > 0 ${project === undefined ? '' : `AND p.project_id = ${project}`}),
    heads AS MATERIALIZED (
      SELECT o.* FROM open o CROSS JOIN LATERAL ${newest('1', 'o')} i
      ORDER BY ${itemOrder.by} LIMIT ${limit})
    SELECT item_id FROM (
      SELECT i.* FROM heads h CROSS JOIN LATERAL ${newest(limit, 'h')} i
      UNION ALL
      (SELECT i.created_at, i.item_id FROM inbox_exceptions i
       WHERE i.account_id = $1 AND i.read_at IS NULL AND ${condition}
         ${project === undefined ? '' : `AND i.project_id = ${project}`}
       ORDER BY ${itemOrder.by} LIMIT ${limit})) u
    ORDER BY ${itemOrder.of('u').by} LIMIT ${limit}`;
}
