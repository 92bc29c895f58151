import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { AudienceOf, type GroupAudience, Teams } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { memberOf, team } from '../team';

/** Answers other services which accounts and devices a group reaches. */
@Controller()
export class AudienceHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  @Handles(Teams.audience)
  async audience({ groupId }: AudienceOf, { caller, after }: Context): Promise<Answer<GroupAudience>> {
    await this.projections.reached('device_groups', after);
    const teamId = await this.projections.find('device_groups', () => this.teamOf(groupId));
    const { state } = teamId === undefined ? { state: null } : await this.log.load(team, streamTail(teamId));
    const group = state?.groups.find((each) => each.groupId === groupId);
    if (!state || !group || !memberOf(state, caller.accountId)) throw new Refused('device_group.not_found');
    return answer({
      teamId: state.teamId,
      accountIds: [...group.accountIds],
      deviceIds: group.devices.map(({ deviceId }) => deviceId),
      ownerIds: [...new Set(group.devices.map(({ accountId }) => accountId))],
    });
  }

  private async teamOf(groupId: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ team_id: string }>(
      `SELECT team_id FROM device_groups WHERE group_id = $1`,
      [groupId],
    );
    return row?.team_id;
  }
}
