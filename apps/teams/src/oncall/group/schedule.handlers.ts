import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Oncall,
  type OncallCoverage,
  type OncallExplanation,
  OncallGroupAt,
  OncallGroupById,
  type OncallShifts,
  OncallShiftsIn,
} from '@carillon/contracts';
import { type Instant, isBefore, millis, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { coverageOf, horizon } from '../../rotation/coverage';
import { heldShifts } from './held-shifts';
import { OncallGroups } from './oncall-groups.service';
import { OncallHistory } from './oncall-history.service';
import { coverageView } from './view';
import { OncallViews } from './oncall-views.service';

/** Answers with the shifts in a window and their reasons, and with its gaps. */
@Controller()
export class ScheduleHandlers {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(OncallHistory) private readonly history: OncallHistory,
    @Inject(OncallViews) private readonly oncall: OncallViews,
  ) {}

  @Handles(Oncall.explain)
  async explain(
    { groupId, at = this.clock.now() }: OncallGroupAt,
    { caller, after }: Context,
  ): Promise<Answer<OncallExplanation>> {
    const { group } = await this.history.find(groupId, caller.accountId, at);
    return answer(await this.oncall.explanation(group, at, after));
  }

  @Handles(Oncall.shifts)
  async shifts(
    { groupId, from, to }: OncallShiftsIn,
    { caller, after }: Context,
  ): Promise<Answer<OncallShifts>> {
    insistOnWindow(from, to);
    const { team, group } = await this.groups.find(groupId, caller.accountId);
    // Only the past needs to know how the group was then.
    const schedules = isBefore(from, this.clock.now())
      ? await this.history.schedules(team.teamId, groupId)
      : [{ since: from, schedule: group }];
    const held = heldShifts(schedules, { startsAt: from, endsAt: to });
    return answer({ shifts: await this.oncall.shifts(held, after) });
  }

  @Handles(Oncall.coverage)
  async coverage({ groupId }: OncallGroupById, { caller }: Context): Promise<Answer<OncallCoverage>> {
    const { group } = await this.groups.find(groupId, caller.accountId);
    const window = horizon(this.clock.now());
    const coverage = coverageView(coverageOf(group, window));
    return answer({ from: window.startsAt, to: window.endsAt, ...coverage });
  }
}

const dayMs = 24 * 60 * 60 * 1000;
const mostDays = 62;

/** Refused `input.invalid`. */
function insistOnWindow(from: Instant, to: Instant): void {
  const invalid = (message: string, code: string): Refused =>
    new Refused('input.invalid', { issues: [{ path: 'to', message, code }] });
  if (!isBefore(from, to)) throw invalid('must be after from', 'invalid_value');
  if (millis(to) - millis(from) > mostDays * dayMs)
    throw invalid(`must be at most ${mostDays} days after from`, 'too_big');
}
