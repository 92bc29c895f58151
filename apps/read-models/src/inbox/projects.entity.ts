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
      count: 'bigint',
      item_id: 'text',
      title: 'text',
      preview: 'text',
      image_url: 'text',
      at: 'timestamptz',
    },
    projects,
    ({ first, newest, count, name }) => ({
      account_id: newest.accountId,
      project_id: newest.projectId,
      name: name ?? first.projectName,
      count,
      item_id: itemId(newest),
      title: newest.title,
      preview: newest.preview,
      image_url: newest.imageUrl,
      at: newest.at,
    }),
  );
  await sql.query(
    `INSERT INTO inbox_projects AS p (account_id, project_id, name, unread_count, total_count, latest_item_id,
       latest_title, latest_preview, latest_image_url, latest_at, counted_revision)
     SELECT n.account_id, project_id, coalesce(name, project_id), count, count, item_id, title, preview, image_url, at,
       coalesce(a.cleared_revision, -1)
     FROM ${given.rows} LEFT JOIN inbox_marks a USING (account_id)
     ON CONFLICT (account_id, project_id) DO UPDATE SET
       unread_count = excluded.unread_count
         + CASE WHEN p.counted_revision >= excluded.counted_revision THEN p.unread_count ELSE 0 END,
       counted_revision = greatest(p.counted_revision, excluded.counted_revision),
       total_count = p.total_count + excluded.total_count,
       (latest_item_id, latest_title, latest_preview, latest_image_url, latest_at) = (
         SELECT l.item_id, l.title, l.preview, l.image_url, l.at FROM (VALUES
           (p.latest_item_id, p.latest_title, p.latest_preview, p.latest_image_url, p.latest_at),
           (excluded.latest_item_id, excluded.latest_title, excluded.latest_preview, excluded.latest_image_url,
             excluded.latest_at)) AS l(item_id, title, preview, image_url, at)
         ORDER BY l.at DESC NULLS LAST, l.item_id DESC LIMIT 1)`,
    given.values,
  );
  await nameProjects(
    sql,
    projects.map(({ newest: { accountId, projectId }, name }) => ({ accountId, projectId, name })),
  );
}
