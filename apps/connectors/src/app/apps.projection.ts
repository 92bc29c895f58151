import type { AppChanged, AppMoved, Streams } from '@carillon/contracts';
import { ignore, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { membership } from '@carillon/membership';
import { Inject, Injectable } from '@nestjs/common';
import { alone } from './app';
import { AppReturnCommands } from './app-return-commands.worker';
import { MoveNotices } from './move-notices.worker';

type Followed = Streams<'app' | 'team'>;

/**
 * Keeps web apps, the consents to them, and memberships of teams. Enqueues the return of each app whose team the
 * account that added it has left since the move. It follows the order of the log, so that it also finds an app that was
 * moved while that account was leaving.
 */
@Injectable()
export class AppsProjection extends Projection<Followed> {
  readonly name = 'apps';
  readonly tables = ['apps', 'app_consents', 'app_teams', 'app_members'];
  private readonly members = membership({
    teams: 'app_teams',
    members: 'app_members',
    onLeft: (sql, { teamId, accountIds, deleted }, recorded) =>
      deleted
        ? this.returns.addAllOf(sql, teamId, recorded)
        : this.bringBack(sql, teamId, accountIds, recorded),
  });
  readonly on: On<Followed> = {
    app: {
      AppAdded: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO apps (app_id, added_by, name, url, origin, icon_url, project_id, project_name, membership,
             moves, added_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $10)`,
          [
            event.appId,
            event.accountId,
            event.name,
            event.url,
            event.origin,
            event.iconUrl,
            event.projectId,
            event.projectName,
            alone,
            event.addedAt,
          ],
        );
      },
      AppUrlClaimRequested: ignore,
      AppChanged: (sql, { event }) => this.change(sql, event),
      AppMoved: (sql, recorded) => this.move(sql, recorded),
      AppRemoved: async (sql, { event }) => {
        await sql.query(`DELETE FROM apps WHERE app_id = $1`, [event.appId]);
        await sql.query(`DELETE FROM app_consents WHERE app_id = $1`, [event.appId]);
      },
      ConsentGiven: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO app_consents (app_id, account_id, share_name, share_email, membership, given_at)
           VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (app_id, account_id) DO UPDATE SET share_name = excluded.share_name,
             share_email = excluded.share_email, membership = excluded.membership, given_at = excluded.given_at`,
          [event.appId, event.userId, event.shareName, event.shareEmail, event.membership, event.givenAt],
        );
      },
      DisclosureChanged: async (sql, { event }) => {
        await sql.query(
          `UPDATE app_consents SET share_name = $3, share_email = $4 WHERE app_id = $1 AND account_id = $2`,
          [event.appId, event.userId, event.shareName, event.shareEmail],
        );
      },
      ConsentRevoked: async (sql, { event }) => {
        await sql.query(`DELETE FROM app_consents WHERE app_id = $1 AND account_id = $2`, [
          event.appId,
          event.userId,
        ]);
      },
    },
    team: {
      ...this.members,
      TeamCreated: async (sql, recorded) => {
        const { teamId, name } = recorded.event;
        await this.members.TeamCreated(sql, recorded);
        await sql.query(`UPDATE app_teams SET name = $2 WHERE team_id = $1`, [teamId, name]);
      },
      TeamChanged: async (sql, { event }) => {
        if (event.name !== undefined)
          await sql.query(`UPDATE app_teams SET name = $2 WHERE team_id = $1`, [event.teamId, event.name]);
      },
    },
  };

  constructor(
    @Inject(AppReturnCommands) private readonly returns: AppReturnCommands,
    @Inject(MoveNotices) private readonly notices: MoveNotices,
  ) {
    super();
  }

  private async bringBack(
    sql: Sql,
    teamId: string,
    accountIds: readonly string[],
    from: Recorded,
  ): Promise<void> {
    const rows = await sql.query<{ app_id: string; added_by: string; moves: number }>(
      `SELECT app_id, added_by, moves FROM apps WHERE team_id = $1 AND added_by = ANY($2::text[])`,
      [teamId, accountIds],
    );
    await this.returns.add(
      sql,
      rows.map(({ app_id: appId, added_by: addedBy, moves }) => ({ appId, addedBy, moves })),
      from,
    );
  }

  private async change(sql: Sql, event: AppChanged): Promise<void> {
    const { name, url, origin, iconUrl, projectId, projectName } = event;
    if (origin !== undefined)
      await sql.query(
        `DELETE FROM app_consents USING apps
         WHERE apps.app_id = $1 AND app_consents.app_id = $1 AND origin IS DISTINCT FROM $2`,
        [event.appId, origin],
      );
    await sql.query(
      `UPDATE apps SET updated_at = $2,
         name = CASE WHEN $3 THEN $4 ELSE name END,
         url = CASE WHEN $5 THEN $6 ELSE url END,
         origin = CASE WHEN $7 THEN $8 ELSE origin END,
         icon_url = CASE WHEN $9 THEN $10 ELSE icon_url END,
         project_id = CASE WHEN $11 THEN $12 ELSE project_id END,
         project_name = CASE WHEN $13 THEN $14 ELSE project_name END
       WHERE app_id = $1`,
      [
        event.appId,
        event.changedAt,
        ...[name, url, origin, iconUrl, projectId, projectName].flatMap((value) => [
          value !== undefined,
          value ?? null,
        ]),
      ],
    );
  }

  private async move(sql: Sql, recorded: Recorded<AppMoved>): Promise<void> {
    const { appId, accountId, teamId, membership, by, notify, movedAt } = recorded.event;
    const [app] = await sql.query<{ moves: number }>(
      `UPDATE apps SET team_id = $2, membership = $3, moves = moves + 1, updated_at = $4 WHERE app_id = $1
       RETURNING moves`,
      [appId, teamId, membership, movedAt],
    );
    await sql.query(`DELETE FROM app_consents WHERE app_id = $1 AND account_id IS DISTINCT FROM $2`, [
      appId,
      by,
    ]);
    await sql.query(`UPDATE app_consents SET membership = $2 WHERE app_id = $1`, [appId, membership]);
    if (!app || teamId === null) return;
    const members = await sql.query<{ account_id: string; membership: string }>(
      `SELECT account_id, membership FROM app_members WHERE team_id = $1`,
      [teamId],
    );
    const { moves } = app;
    if (members.some((member) => member.account_id === accountId && member.membership === membership)) {
      const others = members.filter((member) => notify && member.account_id !== by);
      await this.notices.add(
        sql,
        others.map(({ account_id: userId }) => ({ appId, teamId, userId, moves, movedAt })),
        recorded,
      );
    } else await this.returns.add(sql, [{ appId, addedBy: accountId, moves }], recorded);
  }
}
