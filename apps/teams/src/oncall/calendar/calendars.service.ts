import { setImmediate } from 'node:timers/promises';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { OncallGroups } from '../group/oncall-groups.service';
import { People } from '../../person/people.service';
import type { OncallGroup } from '../../team/oncall';
import { memberOf, team } from '../../team/team';
import { type Calendar, calendars } from './calendars';
import { calendarOf } from './feed';

/** Reads the calendars behind secret URLs. */
@Injectable()
export class CalendarFeeds {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(People) private readonly people: People,
  ) {}

  /** Refused `calendar.unknown` when no URL with a secret of this hash exists or it is no longer valid. */
  async read(hash: string): Promise<string> {
    const accountId = await this.ownerOf(hash);
    const { state } = await this.log.load(calendars, streamTail(accountId));
    const calendar = state.find((each) => each.hash === hash);
    if (!calendar) throw new Refused('calendar.unknown');
    const group = calendar.groupId === null ? null : await this.groupOf(calendar, accountId);
    const groups = group ? [group] : (await this.groups.of(accountId)).map(({ group: each }) => each);
    const personOf = await this.people.of([...new Set(groups.flatMap(peopleOf))]);
    const steps = calendarOf({
      title: group ? `On call: ${group.name}` : 'On call',
      groups,
      accountId: group ? null : accountId,
      nameOf: (each) => personOf(each).name,
      now: this.clock.now(),
    });
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      await setImmediate();
    }
  }

  private async ownerOf(hash: string): Promise<string> {
    const row = await this.projections.find('oncall_calendars', async () => {
      const [found] = await this.database.query<{ account_id: string }>(
        `SELECT account_id FROM oncall_calendars WHERE hash = $1`,
        [hash],
      );
      return found;
    });
    if (!row) throw new Refused('calendar.unknown');
    return row.account_id;
  }

  /** Requires the same membership as at the opening: an account that left and rejoined the team needs a new URL. */
  private async groupOf({ teamId, groupId, memberSince }: Calendar, accountId: string): Promise<OncallGroup> {
    const { state } = await this.log.load(team, streamTail(teamId ?? ''));
    const group = state?.oncall.find((each) => each.groupId === groupId);
    if (!state || !group || memberOf(state, accountId)?.joinedAt !== memberSince)
      throw new Refused('calendar.unknown');
    return group;
  }
}

const peopleOf = ({ rotation, overrides }: OncallGroup): string[] => [
  ...rotation.accountIds,
  ...overrides.map(({ accountId }) => accountId),
];
