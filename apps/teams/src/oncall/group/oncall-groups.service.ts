import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { memberOf, team } from '../../team/team';
import { type FoundGroup, foundGroup } from './found-group';
import type { InTeam } from './own-shifts';

/**
 * Finds on-call groups by id. The rows only map the id to its team; the group itself is read from the team's stream.
 */
@Injectable()
export class OncallGroups {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /** The team that a group belongs or belonged to. Refused `oncall_group.unknown` when the group never existed. */
  async teamOf(groupId: string): Promise<string> {
    const row = await this.projections.find('teams', async () => {
      const [found] = await this.database.query<{ team_id: string }>(
        `SELECT team_id FROM oncall_groups WHERE group_id = $1`,
        [groupId],
      );
      return found;
    });
    if (!row) throw new Refused('oncall_group.unknown');
    return row.team_id;
  }

  /** The current groups of all teams of an account, from the log. */
  async of(accountId: string, after?: string): Promise<InTeam[]> {
    await this.projections.reached('teams', after);
    const rows = await this.database.query<{ team_id: string }>(
      `SELECT DISTINCT team_id FROM members JOIN oncall_groups USING (team_id)
       WHERE account_id = $1 AND NOT deleted`,
      [accountId],
    );
    const found = await Promise.all(
      rows.map(async ({ team_id: teamId }) => {
        const { state } = await this.log.load(team, streamTail(teamId));
        return state && memberOf(state, accountId) ? state.oncall.map((group) => ({ teamId, group })) : [];
      }),
    );
    return found.flat();
  }

  /** The current group, from the log. Refused `oncall_group.unknown` unless the account is in its team. */
  async find(groupId: string, accountId: string): Promise<FoundGroup> {
    const teamId = await this.teamOf(groupId);
    const { state } = await this.log.load(team, streamTail(teamId));
    return foundGroup(state, { teamId, groupId, accountId });
  }

  /** As `find`, for a service that acts for no account. */
  async findAny(groupId: string): Promise<Pick<FoundGroup, 'team' | 'group'>> {
    const { state } = await this.log.load(team, streamTail(await this.teamOf(groupId)));
    const group = state?.oncall.find((each) => each.groupId === groupId);
    if (!state || !group) throw new Refused('oncall_group.unknown');
    return { team: state, group };
  }
}
