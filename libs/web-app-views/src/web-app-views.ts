import type { AppSummary } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';

interface WebAppRow {
  app_id: string;
  name: string | null;
  origin: string | null;
  icon_url: string | null;
}

/** The web apps that items and pages refer to, as an account sees them. */
@Injectable()
export class WebAppViews {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /**
   * Looks up web apps by id, not older than the log position `after`; null for a removed app and for one that the
   * account cannot open, so that a notification does not reveal the name of its app. The account that added an app
   * always sees it; others see it while both they and that account are in the app's team.
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

/** A null text is one whose key was deleted. */
const summaryOf = ({ app_id: id, name, origin, icon_url: iconUrl }: WebAppRow): AppSummary => ({
  id,
  name: name ?? '',
  origin: origin ?? '',
  iconUrl,
});
