import type { PushReported } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { PageRowChange } from './page-rows';
import type { PageRef } from './page-steps.service';

/** The open pages that are read at once. */
const atOnce = 500;

/** Writes changes of pages, and the pushes of their newest steps. */
export async function writePages(sql: Sql, changes: readonly PageRowChange[]): Promise<void> {
  if (changes.length === 0) return;
  const pages = columns(
    {
      page_id: 'text',
      group_id: 'text',
      team_id: 'text',
      status: 'text',
      notified: 'jsonb',
      created_at: 'timestamptz',
      resolved_at: 'timestamptz',
    },
    changes,
    (change) => ({
      page_id: change.pageId,
      group_id: change.groupId,
      team_id: change.teamId,
      status: change.status,
      notified: JSON.stringify(change.notified),
      created_at: change.createdAt,
      resolved_at: change.resolvedAt,
    }),
  );
  await sql.query(
    `INSERT INTO pages AS p (page_id, group_id, team_id, status, notified, created_at, resolved_at)
     SELECT n.page_id, n.group_id, n.team_id, n.status, ARRAY(SELECT jsonb_array_elements_text(n.notified)),
       n.created_at, n.resolved_at
     FROM ${pages.rows}
     ON CONFLICT (page_id) DO UPDATE SET status = excluded.status, resolved_at = excluded.resolved_at,
       notified = p.notified || ARRAY(SELECT a FROM unnest(excluded.notified) AS a WHERE a <> ALL (p.notified))`,
    pages.values,
  );
  await sql.query(`DELETE FROM page_pushes WHERE page_id = ANY($1::text[])`, [
    changes.map(({ pageId }) => pageId),
  ]);
  const pushes = changes.flatMap(({ pageId, step, pushIds }) =>
    step ? pushIds.map((pushId) => ({ pageId, step: step.step, pushId })) : [],
  );
  if (pushes.length === 0) return;
  const given = columns({ push_id: 'text', page_id: 'text', step: 'integer' }, pushes, (push) => ({
    push_id: push.pushId,
    page_id: push.pageId,
    step: push.step,
  }));
  await sql.query(
    `INSERT INTO page_pushes (${given.names}) SELECT * FROM ${given.rows} ON CONFLICT DO NOTHING`,
    given.values,
  );
}

/** Deletes the rows of forgotten pages. */
export async function dropPages(sql: Sql, pageIds: readonly string[]): Promise<void> {
  if (pageIds.length > 0) await sql.query(`DELETE FROM pages WHERE page_id = ANY($1::text[])`, [pageIds]);
}

/** A step whose pushes no device accepted. */
export interface Unreached extends PageRef {
  readonly step: number;
  /** The last of its pushes to be refused. */
  readonly pushId: string;
}

/** The steps that reached nobody: no device accepted them, and no push of them is pending. */
export async function unreachedBy(
  sql: Sql,
  reports: readonly Pick<PushReported, 'subjectId' | 'accepted'>[],
): Promise<Unreached[]> {
  if (reports.length === 0) return [];
  const gone = await sql.query<PageRow & { push_id: string; step: number }>(
    `DELETE FROM page_pushes p USING pages g WHERE p.push_id = ANY($1::text[]) AND g.page_id = p.page_id
     RETURNING p.push_id, p.step, g.page_id, g.group_id, g.team_id`,
    [reports.map(({ subjectId }) => subjectId)],
  );
  const accepted = new Set(reports.flatMap((report) => (report.accepted > 0 ? [report.subjectId] : [])));
  const reached = new Set(gone.filter(({ push_id }) => accepted.has(push_id)).map(({ page_id }) => page_id));
  if (reached.size > 0)
    await sql.query(`DELETE FROM page_pushes WHERE page_id = ANY($1::text[])`, [[...reached]]);
  const refused = new Map(
    gone.filter(({ page_id }) => !reached.has(page_id)).map((row) => [row.page_id, row]),
  );
  if (refused.size === 0) return [];
  const hopeful = await sql.query<{ page_id: string }>(
    `SELECT DISTINCT page_id FROM page_pushes WHERE page_id = ANY($1::text[])`,
    [[...refused.keys()]],
  );
  for (const { page_id } of hopeful) refused.delete(page_id);
  return [...refused.values()].map((row) => ({ ...pageRefOf(row), step: row.step, pushId: row.push_id }));
}

/** The columns that name a page. */
export interface PageRow {
  page_id: string;
  group_id: string;
  team_id: string;
}

export const pageRefOf = ({ page_id: pageId, group_id: groupId, team_id: teamId }: PageRow): PageRef => ({
  pageId,
  groupId,
  teamId,
});

/** The pages of a team or a group, or those that notified a member. */
export interface PagesOf {
  readonly teamId: string;
  readonly groupId?: string;
  readonly accountId?: string;
}

/** The unresolved ones of these pages, some at a time. */
export async function* openPages(sql: Sql, { teamId, groupId, accountId }: PagesOf): AsyncGenerator<PageRef> {
  for (let after = ''; ;) {
    const rows = await sql.query<PageRow>(
      `SELECT page_id, group_id, team_id FROM pages
       WHERE status <> 'resolved' AND team_id = $1 AND ($2::text IS NULL OR group_id = $2)
         AND ($3::text IS NULL OR notified @> ARRAY[$3]) AND page_id > $4 ORDER BY page_id LIMIT $5`,
      [teamId, groupId ?? null, accountId ?? null, after, atOnce],
    );
    yield* rows.map(pageRefOf);
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return;
    after = last.page_id;
  }
}
