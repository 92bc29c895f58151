import {
  deviceGroupEventTypes,
  domainEventTypes,
  inviteEventTypes,
  type OncallGroupChanged,
  type OncallGroupCreated,
  type Streams,
} from '@carillon/contracts';
import { type EventsOf, ignoring, type On, Projection, type Sql, StreamDeleted } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { dutyAt } from '../../rotation/duty';
import { TeamHistory } from '../../team/team-history.service';
import { HandoffNotices } from './handoff-notices.worker';

type Followed = Streams<'team'>;

/**
 * Has the groups that notify of hand-offs looked at when their schedule may have changed. Its rows say who was notified
 * of and cannot be made again from the log: a rebuild leaves them as they are.
 */
@Injectable()
export class HandoffsProcess extends Projection<Followed> {
  readonly name = 'handoffs';
  readonly tables = [];
  override readonly immediate = true;
  readonly on: On<Followed> = {
    team: {
      ...ignoring(
        'TeamCreated',
        'TeamChanged',
        'MemberJoined',
        'MemberRoleChanged',
        'OwnershipTransferred',
        'OncallGroupEmptied',
        ...inviteEventTypes,
        ...deviceGroupEventTypes,
        ...domainEventTypes,
      ),
      OncallGroupCreated: (sql, recorded) => this.set(sql, recorded, recorded.event.createdAt),
      OncallGroupChanged: async (sql, recorded) => {
        await this.set(sql, recorded, recorded.event.changedAt);
        await this.look(sql, recorded, recorded.event.groupId);
      },
      OverrideCreated: (sql, recorded) => this.look(sql, recorded, recorded.event.groupId),
      OverrideDeleted: (sql, recorded) => this.look(sql, recorded, recorded.event.groupId),
      MemberLeft: (sql, recorded) => this.look(sql, recorded),
      MemberRemoved: (sql, recorded) => this.look(sql, recorded),
      OncallGroupDeleted: (sql, { event }) => this.forget(sql, 'group_id', event.groupId),
      TeamDeleted: (sql, { event }) => this.forget(sql, 'team_id', event.teamId),
    },
  };

  constructor(
    @Inject(HandoffNotices) private readonly notices: HandoffNotices,
    @Inject(TeamHistory) private readonly history: TeamHistory,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.teamId;
  }

  private async set(
    sql: Sql,
    recorded: Recorded<OncallGroupCreated | OncallGroupChanged>,
    at: string,
  ): Promise<void> {
    const { teamId, groupId, handoffNotices } = recorded.event;
    if (sql.rebuilding || handoffNotices === undefined) return;
    if (!handoffNotices) return this.forget(sql, 'group_id', groupId);
    await sql.query(
      `INSERT INTO oncall_duties (group_id, team_id, looked_at, is_known, account_id) VALUES ($1, $2, $3, true, $4)
       ON CONFLICT DO NOTHING`,
      [groupId, teamId, at, await this.onDuty(recorded, at)],
    );
    await this.notices.look(sql, [{ teamId, groupId }], recorded);
  }

  /** Who is on call once notices are switched on: the schedule may change again before the first look at it. */
  private async onDuty(
    recorded: Recorded<OncallGroupCreated | OncallGroupChanged>,
    at: string,
  ): Promise<string | null> {
    const state = await this.history
      .around(recorded)
      .then(({ after }) => after)
      .catch((error: unknown) => {
        // A team that was deleted long ago has no group any more.
        if (error instanceof StreamDeleted) return null;
        throw error;
      });
    const group = state?.oncall.find((each) => each.groupId === recorded.event.groupId);
    return group ? dutyAt(group, at).accountId : null;
  }

  /** Of one group, or all of the team. */
  private async look(
    sql: Sql,
    recorded: Recorded<{ readonly type: string; readonly teamId: string }>,
    groupId: string | null = null,
  ): Promise<void> {
    if (sql.rebuilding) return;
    const { teamId } = recorded.event;
    const rows = await sql.query<{ group_id: string }>(
      `SELECT group_id FROM oncall_duties WHERE team_id = $1 AND ($2::text IS NULL OR group_id = $2)`,
      [teamId, groupId],
    );
    const groups = rows.map((row) => ({ teamId, groupId: row.group_id }));
    await this.notices.look(sql, groups, recorded);
  }

  private async forget(sql: Sql, column: 'group_id' | 'team_id', id: string): Promise<void> {
    if (sql.rebuilding) return;
    await sql.query(`DELETE FROM oncall_duties WHERE ${column} = $1`, [id]);
  }
}
