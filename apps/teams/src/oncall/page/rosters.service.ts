import { Bus, type Context } from '@carillon/bus';
import { Push } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { OncallGroup } from '../../team/oncall';
import { memberOf, team } from '../../team/team';
import { everybodyIn, type Roster, rosterOf } from './roster';

/** Why a group can no longer notify anybody. */
export type Gone = 'group_deleted' | 'team_deleted';

/** Finds the members that groups can notify, and their devices. */
@Injectable()
export class Rosters {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  async of(group: OncallGroup, at: Instant, context: Context): Promise<Roster> {
    const roster = rosterOf(group, at);
    const accountIds = [...everybodyIn(roster)];
    if (accountIds.length === 0) return { ...roster, devices: new Map() };
    const { value } = await this.bus.ask(Push.reach, { accountIds, deviceIds: [], urgent: true }, context);
    const devices = new Map<string, string[]>();
    for (const { accountId, deviceId } of value.devices)
      devices.set(accountId, [...(devices.get(accountId) ?? []), deviceId]);
    return { ...roster, devices };
  }

  /** Whether the account is in the team now. It may have left and come back. */
  async hasMember(teamId: string, accountId: string): Promise<boolean> {
    const { state } = await this.log.load(team, streamTail(teamId));
    return state !== null && memberOf(state, accountId) !== undefined;
  }

  /** The roster of the group as of now, from the log, or the reason why there is none. */
  async find(
    { teamId, groupId }: { teamId: string; groupId: string },
    at: Instant,
    context: Context,
  ): Promise<Roster | Gone> {
    const { state } = await this.log.load(team, streamTail(teamId));
    if (!state) return 'team_deleted';
    const group = state.oncall.find((each) => each.groupId === groupId);
    return group ? this.of(group, at, context) : 'group_deleted';
  }
}
