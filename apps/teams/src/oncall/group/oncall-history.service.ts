import type { TeamEvent } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { type Instant, isBefore, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { memberOf, team, type TeamState } from '../../team/team';
import type { FoundGroup } from './found-group';
import { Schedules, type ScheduleSince } from './held-shifts';
import { knownAt } from './known-at';
import { OncallGroups } from './oncall-groups.service';

/** On-call groups as they were known at a time, for members of their team. */
@Injectable()
export class OncallHistory {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
  ) {}

  /**
   * The group as known now for the present and the future, else as known at `at`, even if it was deleted since. Refused
   * `oncall_group.unknown` when it did not exist then.
   */
  async find(groupId: string, accountId: string, at?: Instant): Promise<Omit<FoundGroup, 'role'>> {
    if (at === undefined || !isBefore(at, this.clock.now())) return this.groups.find(groupId, accountId);
    const teamId = await this.groups.teamOf(groupId);
    const { state: present } = await this.log.load(team, streamTail(teamId));
    if (!present || !memberOf(present, accountId)) throw new Refused('oncall_group.unknown');
    const state = await this.knownAt(teamId, at);
    const group = state?.oncall.find((each) => each.groupId === groupId);
    if (!state || !group) throw new Refused('oncall_group.unknown');
    return { team: state, group };
  }

  /** The schedules that the group has had, each from the change that made it. */
  async schedules(teamId: string, groupId: string): Promise<readonly ScheduleSince[]> {
    const schedules = new Schedules(groupId);
    for await (const events of this.log.parts<TeamEvent>(`${team.category}-${streamTail(teamId)}`))
      schedules.add(events);
    return schedules.all;
  }

  private async knownAt(teamId: string, at: Instant): Promise<TeamState> {
    let state = team.initial;
    for await (const events of this.log.parts<TeamEvent>(`${team.category}-${streamTail(teamId)}`)) {
      const known = knownAt(events, at, state);
      state = known.state;
      if (known.isAll) break;
    }
    return state;
  }
}
