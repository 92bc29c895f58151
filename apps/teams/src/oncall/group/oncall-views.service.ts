import type {
  ChangedOncallGroup,
  OncallExplanation,
  OncallGroup as GroupView,
  OncallWarnings,
  Override as OverrideView,
  OncallOwnShift,
  OncallShift,
} from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { type PersonNames, People } from '../../person/people.service';
import { coverageOf, horizon } from '../../rotation/coverage';
import { explain } from '../../rotation/explanation';
import type { Override, Schedule, Shift } from '../../rotation/shifts';
import type { OncallGroup } from '../../team/oncall';
import { OpenPages } from './open-pages.service';
import type { OwnShift } from './own-shifts';
import { coverageView, explanationView, oncallGroupView, overrideView, shiftView } from './view';

/** The time of the view, if not now, and the log position that it must include. */
interface AsOf {
  readonly at?: Instant | undefined;
  readonly after?: string | undefined;
}

/** Views of on-call groups, with the names of their members and the gaps of their schedules. */
@Injectable()
export class OncallViews {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(People) private readonly people: People,
    @Inject(OpenPages) private readonly open: OpenPages,
  ) {}

  /** Groups as the API shows them. */
  async of(teamId: string, groups: readonly OncallGroup[], asOf: AsOf): Promise<GroupView[]> {
    return groups.map(await this.showing(teamId, groups, asOf));
  }

  async one(teamId: string, group: OncallGroup, asOf: AsOf): Promise<GroupView> {
    const show = await this.showing(teamId, [group], asOf);
    return show(group);
  }

  /** A group whose schedule was changed. */
  async changed(teamId: string, group: OncallGroup, after?: string): Promise<ChangedOncallGroup> {
    const shown = await this.one(teamId, group, { after });
    return { ...shown, warnings: this.warnings(group) };
  }

  async ownShifts(shifts: readonly OwnShift[], after?: string): Promise<OncallOwnShift[]> {
    const personOf = await this.people.of([...new Set(shifts.map(({ shift }) => shift.accountId))], after);
    return shifts.map(({ teamId, group: { groupId, name }, shift }) => ({
      ...shiftView(shift, personOf),
      groupId,
      groupName: name,
      teamId,
    }));
  }

  async shifts(shifts: readonly Shift[], after?: string): Promise<OncallShift[]> {
    const personOf = await this.people.of([...new Set(shifts.map(({ accountId }) => accountId))], after);
    return shifts.map((shift) => shiftView(shift, personOf));
  }

  /** Explains the on-call person at a time. */
  async explanation(group: OncallGroup, at: Instant, after?: string): Promise<OncallExplanation> {
    const personOf = await this.peopleOf([group], after);
    return explanationView(explain(group, at), group.rotation, personOf);
  }

  async override(override: Override, after?: string): Promise<OverrideView> {
    return overrideView(override, await this.people.of([override.accountId], after));
  }

  /** The gaps and overlaps of a schedule from now on. */
  warnings(schedule: Schedule): OncallWarnings {
    return coverageView(coverageOf(schedule, horizon(this.clock.now())));
  }

  private async showing(
    teamId: string,
    groups: readonly OncallGroup[],
    { at, after }: AsOf,
  ): Promise<(group: OncallGroup) => GroupView> {
    const groupIds = groups.map(({ groupId }) => groupId);
    const [personOf, openIn] = await Promise.all([
      this.peopleOf(groups, after),
      this.open.count(groupIds, { at, after }),
    ]);
    const now = at ?? this.clock.now();
    return (group) => oncallGroupView(group, { teamId, openPageCount: openIn(group.groupId), personOf, now });
  }

  private peopleOf(
    groups: readonly OncallGroup[],
    after?: string,
  ): Promise<(accountId: string) => PersonNames> {
    const accountIds = groups.flatMap(({ rotation, overrides }) => [
      ...rotation.accountIds,
      ...overrides.map(({ accountId }) => accountId),
    ]);
    return this.people.of([...new Set(accountIds)], after);
  }
}
