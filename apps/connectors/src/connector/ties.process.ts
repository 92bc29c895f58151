import type { ConnectorDuty, Streams } from '@carillon/contracts';
import { ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { membership } from '@carillon/membership';
import { Inject, Injectable } from '@nestjs/common';
import { EndedTies } from './ties.worker';

type Followed = Streams<'connector' | 'team'>;
const ignoredOfConnector = ignoring(
  'ConnectorSecretRotated',
  'ConnectorCameOnline',
  'ConnectorAgentChanged',
  'ConnectorWentOffline',
  'ConnectorPaged',
  'ConnectorPageResolved',
);

/**
 * Follows the teams and on-call groups of connectors. Enqueues the removal of connectors of deleted teams, and the
 * unlinking of groups that are gone or whose team the owner has left. It uses the order of the log, so no link is
 * missed (ADR 29).
 */
@Injectable()
export class TiesProcess extends Projection<Followed> {
  readonly name = 'connector_ties';
  readonly tables = ['connector_ties', 'connector_teams', 'connector_members', 'connector_groups'];
  private readonly members = membership({
    teams: 'connector_teams',
    members: 'connector_members',
    // Families have neither connectors nor on-call groups.
    kind: 'team',
    onLeft: (sql, { teamId, accountIds, deleted }, recorded) =>
      deleted ? this.endTeam(sql, teamId, recorded) : this.leave(sql, teamId, accountIds, recorded),
  });
  readonly on: On<Followed> = {
    connector: {
      ...ignoredOfConnector,
      ConnectorRegistered: async (sql, recorded) => {
        const { connectorId, accountId, teamId, oncall } = recorded.event;
        await sql.query(
          `INSERT INTO connector_ties (connector_id, account_id, team_id) VALUES ($1, $2, $3)`,
          [connectorId, accountId, teamId],
        );
        if (teamId !== null && !(await has(sql, 'connector_teams', 'team_id', teamId)))
          await this.ended.add(sql, [{ what: 'remove', connectorId }], recorded);
        await this.tie(sql, recorded, oncall);
      },
      ConnectorChanged: async (sql, recorded) => {
        const { oncall } = recorded.event.changes ?? {};
        if (oncall !== undefined) await this.tie(sql, recorded, oncall);
      },
      ConnectorRemoved: async (sql, { event }) => {
        await sql.query(`DELETE FROM connector_ties WHERE connector_id = $1`, [event.connectorId]);
      },
    },
    team: {
      ...this.members,
      OncallGroupCreated: async (sql, { event }) => {
        await sql.query(`INSERT INTO connector_groups (group_id, team_id) VALUES ($1, $2)`, [
          event.groupId,
          event.teamId,
        ]);
      },
      OncallGroupDeleted: async (sql, recorded) => {
        const { groupId } = recorded.event;
        await sql.query(`DELETE FROM connector_groups WHERE group_id = $1`, [groupId]);
        await this.ended.addAllOfGroup(sql, groupId, recorded);
      },
    },
  };

  constructor(@Inject(EndedTies) private readonly ended: EndedTies) {
    super();
  }

  /** Links the group that the connector pages; the group may be gone already, or not be available to its owner. */
  private async tie(
    sql: Sql,
    recorded: Recorded<{ readonly type: string; readonly connectorId: string }>,
    oncall: ConnectorDuty | null,
  ): Promise<void> {
    const { connectorId } = recorded.event;
    const [tied] = await sql.query<{ team_id: string | null; account_id: string }>(
      `UPDATE connector_ties SET group_id = $2, group_team_id = $3 WHERE connector_id = $1
       RETURNING team_id, account_id`,
      [connectorId, oncall?.groupId ?? null, oncall?.teamId ?? null],
    );
    if (!tied || !oncall) return;
    const { groupId, teamId } = oncall;
    const isThere = await has(sql, 'connector_groups', 'group_id', groupId);
    const members = await sql.query(
      `SELECT 1 FROM connector_members WHERE team_id = $1 AND account_id = $2`,
      [teamId, tied.account_id],
    );
    if (isThere && (tied.team_id !== null || members.length > 0)) return;
    const reason = isThere ? 'team_left' : 'group_deleted';
    await this.ended.add(sql, [{ what: 'unlink', connectorId, groupId, reason }], recorded);
  }

  private async endTeam(sql: Sql, teamId: string, recorded: Recorded): Promise<void> {
    await sql.query(`DELETE FROM connector_groups WHERE team_id = $1`, [teamId]);
    await this.ended.addAllOfTeam(sql, teamId, recorded);
  }

  /** Connectors of the team stay, whichever member registered them. */
  private async leave(
    sql: Sql,
    teamId: string,
    accountIds: readonly string[],
    recorded: Recorded,
  ): Promise<void> {
    const tied = await sql.query<{ connector_id: string; group_id: string }>(
      `SELECT connector_id, group_id FROM connector_ties WHERE group_id IS NOT NULL
         AND team_id IS NULL AND group_team_id = $1 AND account_id = ANY($2::text[])`,
      [teamId, accountIds],
    );
    await this.ended.add(
      sql,
      tied.map(({ connector_id: connectorId, group_id: groupId }) => ({
        what: 'unlink' as const,
        connectorId,
        groupId,
        reason: 'team_left' as const,
      })),
      recorded,
    );
  }
}

async function has(sql: Sql, table: string, column: string, value: string): Promise<boolean> {
  return (await sql.query(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [value])).length > 0;
}
