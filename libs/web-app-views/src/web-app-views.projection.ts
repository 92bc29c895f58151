import type { Streams } from '@carillon/contracts';
import { ignoring, type On, Projection } from '@carillon/event-store';
import { membership } from '@carillon/membership';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'app' | 'team'>;
const ofApps = ignoring('AppUrlClaimRequested', 'ConsentGiven', 'DisclosureChanged', 'ConsentRevoked');

/** The names of web apps, and which accounts may open them. */
@Injectable()
export class WebAppViewsProjection extends Projection<Followed> {
  readonly name = 'web_app_views';
  readonly tables = ['web_app_views', 'web_app_teams', 'web_app_members'];
  readonly on: On<Followed> = {
    app: {
      ...ofApps,
      AppAdded: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO web_app_views (app_id, added_by, name, origin, icon_url) VALUES ($1, $2, $3, $4, $5)`,
          [event.appId, event.accountId, event.name, event.origin, event.iconUrl],
        );
      },
      AppChanged: async (sql, { event: { appId, name, origin, iconUrl } }) => {
        await sql.query(
          `UPDATE web_app_views SET
             name = CASE WHEN $2 THEN $3 ELSE name END,
             origin = CASE WHEN $4 THEN $5 ELSE origin END,
             icon_url = CASE WHEN $6 THEN $7 ELSE icon_url END
           WHERE app_id = $1`,
          [appId, ...[name, origin, iconUrl].flatMap((value) => [value !== undefined, value ?? null])],
        );
      },
      AppMoved: async (sql, { event }) => {
        await sql.query(`UPDATE web_app_views SET team_id = $2 WHERE app_id = $1`, [
          event.appId,
          event.teamId,
        ]);
      },
      AppRemoved: async (sql, { event }) => {
        await sql.query(`DELETE FROM web_app_views WHERE app_id = $1`, [event.appId]);
      },
    },
    team: membership({ teams: 'web_app_teams', members: 'web_app_members' }),
  };
}
