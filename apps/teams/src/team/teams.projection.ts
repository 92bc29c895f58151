import { deviceGroupEventTypes, domainEventTypes, inviteEventTypes, type Streams } from '@carillon/contracts';
import { ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'team'>;
const ignored = ignoring(
  'TeamChanged',
  'OncallGroupChanged',
  'OncallGroupEmptied',
  'OverrideCreated',
  'OverrideDeleted',
  ...inviteEventTypes,
  ...deviceGroupEventTypes,
  ...domainEventTypes,
);

/** Which teams there are and who is in them, to be found by who is in them. What a team is, its stream says. */
@Injectable()
export class TeamsProjection extends Projection<Followed> {
  readonly name = 'teams';
  readonly tables = ['teams', 'members', 'oncall_groups'];
  readonly on: On<Followed> = {
    team: {
      ...ignored,
      TeamCreated: async (sql, { event }) => {
        await sql.query(`INSERT INTO teams (team_id, kind, created_at) VALUES ($1, $2, $3)`, [
          event.teamId,
          event.kind,
          event.createdAt,
        ]);
      },
      TeamDeleted: async (sql, { event }) => {
        await sql.query(`DELETE FROM members WHERE team_id = $1`, [event.teamId]);
        await sql.query(`DELETE FROM oncall_groups WHERE team_id = $1`, [event.teamId]);
        await sql.query(`DELETE FROM teams WHERE team_id = $1`, [event.teamId]);
      },
      MemberJoined: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO members (team_id, account_id, role, joined_at) VALUES ($1, $2, $3, $4)`,
          [event.teamId, event.accountId, event.role, event.joinedAt],
        );
      },
      MemberLeft: (sql, { event }) => gone(sql, event.teamId, event.accountId),
      MemberRemoved: (sql, { event }) => gone(sql, event.teamId, event.accountId),
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
        // What it was is still asked for.
        await sql.query(`UPDATE oncall_groups SET deleted = true WHERE group_id = $1`, [event.groupId]);
      },
    },
  };
}

async function gone(sql: Sql, teamId: string, accountId: string): Promise<void> {
  await sql.query(`DELETE FROM members WHERE team_id = $1 AND account_id = $2`, [teamId, accountId]);
}
