import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type OncallSimulation, SimulateOncall, Simulation } from '@carillon/contracts';
import { Clock } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { changedRotation, insistOnZone } from '../oncall/kept-rotation';
import { OncallGroups } from '../oncall/oncall-groups.service';
import { insistOnMembers } from '../team/naming';
import { type Compared, compare, summaryOf } from './compare';
import type { Ring } from './past-page';
import { PastPages } from './past-pages.service';

/** What pages would have done by another rotation or escalation. Nothing is sent, and nothing kept. */
@Controller()
export class SimulationHandlers {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(PastPages) private readonly past: PastPages,
  ) {}

  @Handles(Simulation.run)
  async run(
    { groupId, rotation: given = {}, escalation }: SimulateOncall,
    { caller, after }: Context,
  ): Promise<Answer<OncallSimulation>> {
    if (given.timezone !== undefined) insistOnZone(given.timezone);
    const { team, group } = await this.groups.find(groupId, caller.accountId);
    const now = this.clock.now();
    const rotation = changedRotation(group.rotation, given, now);
    insistOnMembers(team, given.userIds ?? []);
    const { retentionDays } = team;
    const { pages, truncated } = await this.past.of({ groupId, retentionDays, now, after });
    const compared = compare(pages, { ...group, rotation, escalation: escalation ?? group.escalation }, now);
    return answer({ pages: compared.map(shown), summary: { ...summaryOf(compared), truncated } });
  }
}

const shown = ({ before, after, ...rest }: Compared): OncallSimulation['pages'][number] => ({
  ...rest,
  before: before.map(shownRing),
  after: after.map(shownRing),
});

const shownRing = ({ accountId: userId, at }: Ring) => ({ userId, at });
