import { columns, type Sql } from '@carillon/event-store';
import { grownBy } from './grown';
import { type Item, itemId } from './item';
import { nameProjects } from './project-names.entity';

/** Adds new items to the counts of their projects. The first item of a project creates it. */
export async function countItems(sql: Sql, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const projects = grownBy(items);
  const given = columns(
    {
      account_id: 'text',
      project_id: 'text',
      name: 'text',
      named_by: 'text',
      count: 'bigint',
      item_id: 'text',
      at: 'timestamptz',
    },
    projects,
    ({ first, newest, count, name, namedBy }) => ({
      account_id: newest.accountId,
      project_id: newest.projectId,
      ...(name === null
        ? { name: first.projectName, named_by: first.senderId }
        : { name, named_by: namedBy }),
      count,
      item_id: itemId(newest),
      at: newest.at,
    }),
  );
  await sql.query(
    `INSERT INTO inbox_projects AS p (account_id, project_id, name, named_by, unread_count, total_count,
       latest_item_id, latest_at, counted_revision)
     SELECT n.account_id, project_id, coalesce(name, project_id), CASE WHEN name IS NOT NULL THEN named_by END,
       count, count, item_id, at, coalesce(a.cleared_revision, -1)
     FROM ${given.rows} LEFT JOIN inbox_marks a USING (account_id)
     ON CONFLICT (account_id, project_id) DO UPDATE SET
       unread_count = excluded.unread_count
         + CASE WHEN p.counted_revision >= excluded.counted_revision THEN p.unread_count ELSE 0 END,
       counted_revision = greatest(p.counted_revision, excluded.counted_revision),
       total_count = p.total_count + excluded.total_count,
       (latest_item_id, latest_at) = (
         SELECT l.item_id, l.at FROM (VALUES
           (p.latest_item_id, p.latest_at), (excluded.latest_item_id, excluded.latest_at)) AS l(item_id, at)
         ORDER BY l.at DESC NULLS LAST, l.item_id DESC LIMIT 1)`,
    given.values,
  );
  await nameProjects(
    sql,
    projects.map(({ newest: { accountId, projectId }, name, namedBy }) => ({
      accountId,
      projectId,
      name,
      namedBy,
    })),
  );
}
