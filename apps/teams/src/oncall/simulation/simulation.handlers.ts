import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type OncallSimulation, SimulateOncall, Simulation } from '@carillon/contracts';
import { Clock } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { changedRotation, insistOnZone } from '../group/kept-rotation';
import { OncallGroups } from '../group/oncall-groups.service';
import { insistOnMembers } from '../../team/naming';
import { TeamRates } from '../../team/team-rates.client';
import { type Compared, compare, summaryOf } from './compare';
import type { Ring } from './past-page';
import { PastPages } from './past-pages.service';

/** Each reads what became of hundreds of pages. */
const perMinute = 10;

/** What pages would have done by another rotation or escalation. Nothing is sent, and nothing kept. */
@Controller()
export class SimulationHandlers {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(TeamRates) private readonly rates: TeamRates,
    @Inject(PastPages) private readonly past: PastPages,
  ) {}

  @Handles(Simulation.run)
  async run(
    { groupId, rotation: given = {}, escalation }: SimulateOncall,
    context: Context,
  ): Promise<Answer<OncallSimulation>> {
    const { caller, after } = context;
    if (given.timezone !== undefined) insistOnZone(given.timezone);
    const { team, group } = await this.groups.find(groupId, caller.accountId);
    const now = this.clock.now();
    const rotation = changedRotation(group.rotation, given, now);
    insistOnMembers(team, given.userIds ?? []);
    // What is refused anyway is not counted.
    await this.count(context);
    const { retentionDays } = team;
    const { pages, truncated } = await this.past.of({ groupId, retentionDays, now, after });
    const compared = compare(pages, { ...group, rotation, escalation: escalation ?? group.escalation }, now);
    return answer({ pages: compared.map(comparisonView), summary: { ...summaryOf(compared), truncated } });
  }

  private count(context: Context): Promise<void> {
    const take = { key: `simulations ${context.caller.accountId}`, limit: perMinute, windowSeconds: 60 };
    return this.rates.take(take, 'simulation.run_too_often', context);
  }
}

const comparisonView = ({ before, after, ...rest }: Compared): OncallSimulation['pages'][number] => ({
  ...rest,
  before: before.map(ringView),
  after: after.map(ringView),
});

const ringView = ({ accountId: userId, at }: Ring) => ({ userId, at });
