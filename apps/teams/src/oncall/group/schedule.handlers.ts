import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Oncall,
  type OncallCoverage,
  type OncallExplanation,
  OncallGroupAt,
  OncallGroupById,
} from '@carillon/contracts';
import { Clock } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { coverageOf, horizon } from '../../rotation/coverage';
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

  @Handles(Oncall.coverage)
  async coverage({ groupId }: OncallGroupById, { caller }: Context): Promise<Answer<OncallCoverage>> {
    const { group } = await this.groups.find(groupId, caller.accountId);
    const window = horizon(this.clock.now());
    const coverage = coverageView(coverageOf(group, window));
    return answer({ from: window.startsAt, to: window.endsAt, ...coverage });
  }
}
