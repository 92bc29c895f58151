import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type OncallSimulation,
  type SimulatedOverride,
  SimulateOncall,
  Simulation,
} from '@carillon/contracts';
import { fold, type Instant, millis } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { newId } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { createOverride } from '../group/create-override';
import { foundGroup, type GroupAsked } from '../group/found-group';
import { changedRotation, insistOnZone } from '../group/kept-rotation';
import { OncallGroups } from '../group/oncall-groups.service';
import { OncallViews } from '../group/oncall-views.service';
import { overrideWindow } from '../group/override-window';
import { type Schedule, type Shift, shiftAt, shiftsIn, upcomingAfter } from '../../rotation/shifts';
import { insistOnMembers } from '../../team/naming';
import type { OncallGroup } from '../../team/oncall';
import { type Team, team } from '../../team/team';
import { TeamRates } from '../../team/team-rates.client';
import { type Compared, compare, summaryOf } from './compare';
import type { Ring } from './past-page';
import { PastPages } from './past-pages.service';

/** Each reads what became of hundreds of pages. */
const perMinute = 10;

/** What another rotation or escalation, or one more override, would do. Nothing is sent, and nothing kept. */
@Controller()
export class SimulationHandlers {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(TeamRates) private readonly rates: TeamRates,
    @Inject(OncallViews) private readonly oncall: OncallViews,
    @Inject(PastPages) private readonly past: PastPages,
  ) {}

  @Handles(Simulation.run)
  async run(
    { groupId, rotation: given = {}, escalation, override }: SimulateOncall,
    context: Context,
  ): Promise<Answer<OncallSimulation>> {
    const { caller, after } = context;
    const now = this.clock.now();
    if (given.timezone !== undefined) insistOnZone(given.timezone);
    if (override) overrideWindow(override, now, 'override.');
    const { team: found, group } = await this.groups.find(groupId, caller.accountId);
    const rotation = changedRotation(group.rotation, given, now);
    insistOnMembers(found, given.userIds ?? []);
    const asked = { teamId: found.teamId, groupId, accountId: caller.accountId };
    const { overrides } = override ? overridden(found, override, asked, now) : group;
    // What is refused anyway is not counted.
    await this.count(context);
    const { retentionDays } = found;
    const { pages, truncated } = await this.past.of({ groupId, retentionDays, now, after });
    const changed = { ...group, rotation, escalation: escalation ?? group.escalation, overrides };
    const compared = compare(pages, changed, now);
    const shiftsOf = (schedule: OncallGroup) =>
      override ? shiftsIn(schedule, override) : currentAndUpcoming(schedule, now);
    return answer({
      pages: compared.map(comparisonView),
      summary: { ...summaryOf(compared), truncated },
      schedule: {
        before: await this.oncall.shifts(shiftsOf(group), after),
        after: await this.oncall.shifts(shiftsOf(changed), after),
        warnings: this.oncall.warnings(changed),
      },
    });
  }

  private count(context: Context): Promise<void> {
    const take = { key: `simulations ${context.caller.accountId}`, limit: perMinute, windowSeconds: 60 };
    return this.rates.take(take, 'simulation.run_too_often', context);
  }
}

/** The group with an override that is not made, by the rules of those that are. */
function overridden(
  state: Team,
  { userId: memberId, startsAt, endsAt }: SimulatedOverride,
  asked: GroupAsked,
  at: Instant,
): OncallGroup {
  const window = { memberId, startsAt, endsAt };
  const overrideId = newId('ovr', millis(at));
  const decide = createOverride({ ...asked, ...window, overrideId, fingerprint: null, at });
  return foundGroup(fold(team, decide(state), state), asked).group;
}

const currentAndUpcoming = (schedule: Schedule, now: Instant): Shift[] => {
  const current = shiftAt(schedule, now);
  return [...(current ? [current] : []), ...upcomingAfter(schedule, now)];
};

const comparisonView = ({ before, after, ...rest }: Compared): OncallSimulation['pages'][number] => ({
  ...rest,
  before: before.map(ringView),
  after: after.map(ringView),
});

const ringView = ({ accountId: userId, at }: Ring) => ({ userId, at });
