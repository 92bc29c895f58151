import type { Streams } from '@carillon/contracts';
import { ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'app'>;
const ignored = ignoring(
  'AppAdded',
  'AppUrlClaimRequested',
  'AppChanged',
  'ConsentGiven',
  'DisclosureChanged',
  'ConsentRevoked',
);

/** Projects the apps of each team, and the membership that their creator had at the move. */
@Injectable()
export class TeamAppsProjection extends Projection<Followed> {
  readonly name = 'team_apps';
  readonly tables = ['team_apps'];
  readonly on: On<Followed> = {
    app: {
      ...ignored,
      AppMoved: async (sql, { event }) => {
        const { appId, teamId, accountId, membership } = event;
        await gone(sql, appId);
        if (teamId === null) return;
        await sql.query(
          `INSERT INTO team_apps (app_id, team_id, added_by, membership) VALUES ($1, $2, $3, $4)`,
          [appId, teamId, accountId, membership],
        );
      },
      AppRemoved: (sql, { event }) => gone(sql, event.appId),
    },
  };
}

async function gone(sql: Sql, appId: string): Promise<void> {
  await sql.query(`DELETE FROM team_apps WHERE app_id = $1`, [appId]);
}
