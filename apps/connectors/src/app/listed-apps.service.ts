import type { Context } from '@carillon/bus';
import type { App as AppView, ListApps, ListPage } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Cursors } from '@carillon/runtime';
import { sortedBy } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { ViewedApp } from './access';
import { alone } from './app';
import { AppViews } from './app-views.service';

interface AppRow {
  app_id: string;
  /** What an app is sorted by after its name: the random half of its id. */
  tail: string;
  added_by: string;
  name: string;
  url: string;
  origin: string;
  icon_url: string | null;
  project_id: string | null;
  project_name: string | null;
  moves: number;
  added_at: Date;
  updated_at: Date;
  team_id: string | null;
  team_name: string;
  membership: string | null;
  share_name: boolean | null;
  share_email: boolean | null;
  given_at: Date | null;
}

const appOrder = sortedBy(['name', 'asc'], ['tail', 'asc']);

/**
 * The apps that $1 can open, in their current state: an app is in a team while the account that added it keeps the
 * membership that it had at the move. Names compare as people read, and tails byte by byte, whatever the database was
 * made with.
 */
const visible = `
  SELECT a.app_id, a.added_by, coalesce(a.name, '') COLLATE "und-x-icu" AS name,
    right(a.app_id, 16) COLLATE "C" AS tail, coalesce(a.url, '') AS url,
    coalesce(a.origin, '') AS origin, a.icon_url, a.project_id, a.project_name, a.added_at, a.updated_at,
    a.moves + CASE WHEN a.team_id IS NOT NULL AND t.team_id IS NULL THEN 1 ELSE 0 END AS moves,
    t.team_id, coalesce(t.name, '') AS team_name, viewer.membership, c.share_name, c.share_email, c.given_at
  FROM (SELECT app_id FROM apps WHERE added_by = $1
        UNION SELECT app_id FROM app_members m JOIN apps USING (team_id) WHERE m.account_id = $1) mine
    JOIN apps a USING (app_id)
    LEFT JOIN app_members adder
      ON adder.team_id = a.team_id AND adder.account_id = a.added_by AND adder.membership = a.membership
    LEFT JOIN app_teams t ON t.team_id = adder.team_id
    LEFT JOIN app_members viewer ON viewer.team_id = t.team_id AND viewer.account_id = $1
    LEFT JOIN app_consents c ON c.app_id = a.app_id AND c.account_id = $1
      AND c.membership = coalesce(viewer.membership, '${alone}')
  WHERE CASE WHEN t.team_id IS NULL THEN a.added_by = $1 ELSE viewer.membership IS NOT NULL END`;

/** Lists of apps, from rows. */
@Injectable()
export class ListedApps {
  private readonly cursors = new Cursors('app', appOrder);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(AppViews) private readonly appViews: AppViews,
  ) {}

  /** The apps that the caller can open, by name. */
  async page(input: ListApps, context: Context): Promise<ListPage<AppView>> {
    const { accountId } = context.caller;
    for (const rows of ['apps', 'app_openings'])
      await this.projections.reached(rows, context.after, accountId);
    const { teamId = null, projectId = null } = input;
    const page = this.cursors.asked([accountId, teamId, projectId], input);
    const after = page.after(5);
    const rows = await this.database.query<AppRow>(
      `SELECT * FROM (${visible}) visible
       WHERE ($2::text IS NULL OR coalesce(team_id, 'none') = $2) AND ($3::text IS NULL OR project_id = $3)
         AND ${after.text}
       ORDER BY ${appOrder.by} LIMIT $4`,
      [accountId, teamId, projectId, page.limit + 1, ...after.values],
    );
    const found = rows.slice(0, page.limit).map((row) => foundIn(row, accountId));
    return page.of(rows, await this.appViews.all(found));
  }
}

function foundIn(row: AppRow, accountId: string): ViewedApp {
  const membership = row.membership ?? alone;
  const { share_name: shareName, share_email: shareEmail, given_at: givenAt } = row;
  return {
    app: {
      id: row.app_id,
      addedBy: row.added_by,
      name: row.name,
      url: row.url,
      origin: row.origin,
      iconUrl: row.icon_url,
      projectId: row.project_id,
      projectName: row.project_name,
      teamId: row.team_id,
      membership,
      moves: row.moves,
      claiming: null,
      consents:
        shareName === null || shareEmail === null || givenAt === null
          ? {}
          : { [accountId]: { shareName, shareEmail, membership, at: givenAt.toISOString() } },
      addedAt: row.added_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
    },
    viewer: { accountId, membership, role: null },
    team: row.team_id === null ? null : { id: row.team_id, name: row.team_name, role: null, joins: {} },
  };
}
