import type { Streams } from '@carillon/contracts';
import { type On, Projection } from '@carillon/event-store';
import { membership } from '@carillon/membership';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'team'>;
const members = membership({
  teams: 'teams',
  members: 'members',
  onLeft: async (sql, { teamId, deleted }) => {
    if (deleted) await sql.query(`DELETE FROM oncall_groups WHERE team_id = $1`, [teamId]);
  },
});

/** Projects teams and members, to find the teams of an account. The state of a team is read from its stream. */
@Injectable()
export class TeamsProjection extends Projection<Followed> {
  readonly name = 'teams';
  readonly tables = ['teams', 'members', 'oncall_groups'];
  readonly on: On<Followed> = {
    team: {
      ...members,
      TeamCreated: async (sql, recorded) => {
        const { teamId, kind, createdAt } = recorded.event;
        await members.TeamCreated(sql, recorded);
        await sql.query(`UPDATE teams SET kind = $2, created_at = $3 WHERE team_id = $1`, [
          teamId,
          kind,
          createdAt,
        ]);
      },
      MemberJoined: async (sql, recorded) => {
        const { teamId, accountId, role, joinedAt } = recorded.event;
        await members.MemberJoined(sql, recorded);
        await sql.query(
          `UPDATE members SET role = $3, joined_at = $4 WHERE team_id = $1 AND account_id = $2`,
          [teamId, accountId, role, joinedAt],
        );
      },
      MemberRoleChanged: async (sql, { event }) => {
        await sql.query(`UPDATE members SET role = $3 WHERE team_id = $1 AND account_id = $2`, [
          event.teamId,
          event.accountId,
          event.role,
        ]);
      },
      OwnershipTransferred: async (sql, { event }) => {
        await sql.query(
          `UPDATE members m SET role = CASE WHEN m.account_id = $2 THEN 'owner'
             WHEN t.kind = 'family' THEN 'member' ELSE 'admin' END
           FROM teams t WHERE t.team_id = $1 AND m.team_id = $1 AND m.account_id IN ($2, $3)`,
          [event.teamId, event.toAccountId, event.fromAccountId],
        );
      },
      OncallGroupCreated: async (sql, { event }) => {
        await sql.query(`INSERT INTO oncall_groups (group_id, team_id) VALUES ($1, $2)`, [
          event.groupId,
          event.teamId,
        ]);
      },
      OncallGroupDeleted: async (sql, { event }) => {
        // The row stays, for queries of the group's past.
        await sql.query(`UPDATE oncall_groups SET deleted = true WHERE group_id = $1`, [event.groupId]);
      },
    },
  };
}
