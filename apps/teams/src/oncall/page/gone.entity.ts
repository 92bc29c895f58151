import { type Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { type PageRow, pageRefOf } from './page-row.entity';
import type { PageRowChange } from './page-rows';
import type { PageRef } from './page-steps.service';

type What = 'member' | 'group' | 'team';

/** A member, a group or the team itself. */
interface Part {
  readonly teamId: string;
  readonly what: What;
  readonly id: string;
}

export async function noteGone(sql: Sql, { teamId, what, id }: Part, at: Instant): Promise<void> {
  await sql.query(
    `INSERT INTO gone_from_teams (team_id, what, id, gone_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [teamId, what, id, at],
  );
}

export async function noteBack(sql: Sql, { teamId, what, id }: Part): Promise<void> {
  await sql.query(`DELETE FROM gone_from_teams WHERE team_id = $1 AND what = $2 AND id = $3`, [
    teamId,
    what,
    id,
  ]);
}

/** A page that was created or escalated while its team or group was deleted or a notified member left. */
export interface Late {
  readonly of: PageRef;
  readonly gone: Pick<Part, 'what' | 'id'>;
}

/** Finds the late ones among pages with a new step. */
export async function lateOf(sql: Sql, changes: readonly PageRowChange[]): Promise<Late[]> {
  const notified = changes.filter(({ step }) => step !== null);
  if (notified.length === 0) return [];
  const rows = await sql.query<PageRow & { what: What; id: string }>(
    `SELECT p.page_id, p.group_id, p.team_id, g.what, g.id FROM pages p JOIN gone_from_teams g USING (team_id)
     WHERE p.page_id = ANY($1::text[]) AND p.status <> 'resolved' AND (g.what = 'team'
       OR (g.what = 'group' AND g.id = p.group_id)
       OR (g.what = 'member' AND g.id = ANY($2::text[]) AND g.id = ANY(p.notified)))`,
    [notified.map(({ pageId }) => pageId), [...new Set(notified.flatMap((change) => change.notified))]],
  );
  return rows.map(({ what, id, ...row }) => ({ of: pageRefOf(row), gone: { what, id } }));
}
