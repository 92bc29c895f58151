import type { AppSummary } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';

interface WebAppRow {
  app_id: string;
  name: string | null;
  origin: string | null;
  icon_url: string | null;
}

/** The web apps that items and pages name, as whoever looks at these sees them. */
@Injectable()
export class WebAppViews {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /**
   * By id, not older than `after` in the log where the caller has changed something; null for one that is gone, or that
   * they cannot open, so that nobody learns the name of an app by what it sends. Who added one sees it wherever it is,
   * others while they and who added it are in its team.
   */
  async seenBy(
    accountId: string,
    appIds: readonly (string | null)[],
    after?: string,
  ): Promise<(appId: string | null) => AppSummary | null> {
    const named = [...new Set(appIds.filter((appId) => appId !== null))];
    if (named.length === 0) return () => null;
    await this.projections.reached('web_app_views', after);
    const rows = await this.database.query<WebAppRow>(
      `SELECT app_id, name, origin, icon_url FROM web_app_views a
       WHERE app_id = ANY($1::text[]) AND (added_by = $2 OR
         (SELECT count(*) FROM web_app_members m
          WHERE m.team_id = a.team_id AND m.account_id IN (a.added_by, $2)) = 2)`,
      [named, accountId],
    );
    const seen = new Map(rows.map((row) => [row.app_id, summaryOf(row)]));
    return (appId) => (appId === null ? null : (seen.get(appId) ?? null));
  }
}

/** Text that is null has lost its key. */
const summaryOf = ({ app_id: id, name, origin, icon_url: iconUrl }: WebAppRow): AppSummary => ({
  id,
  name: name ?? '',
  origin: origin ?? '',
  iconUrl,
});
