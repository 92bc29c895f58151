import type { TeamEvent } from '@carillon/contracts';
import { fold, plus } from '@carillon/eventing';
import { oncallGroupCreated, overrideCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../../team/team';
import { ownShifts } from './own-shifts';

const now = '2026-11-20T10:00:00.000Z';
const dayMs = 24 * 3_600_000;
const startsOf = (accountId: string, ...events: readonly TeamEvent[]): string[][] => {
  const groups = fold(team, [...workplaceTeam, ...events])?.oncall ?? [];
  const found = ownShifts(
    accountId,
    groups.map((group) => ({ teamId: 'team_1', group })),
    now,
  );
  return found.map(({ group, shift }) => [group.groupId, shift.startsAt]);
};

describe('the shifts of somebody', () => {
  it('are in each group the one that runs and the next', () => {
    expect(startsOf('usr_owner', oncallGroupCreated())).toEqual([
      ['ocg_1', '2026-11-20T08:00:00.000Z'],
      ['ocg_1', '2026-11-22T08:00:00.000Z'],
    ]);
    expect(startsOf('usr_member', oncallGroupCreated())).toEqual([['ocg_1', '2026-11-21T08:00:00.000Z']]);
  });
  it('are what overrides leave, and what they take over', () => {
    const events = [oncallGroupCreated(), overrideCreated()];
    expect(startsOf('usr_admin', ...events)).toEqual([['ocg_1', '2026-11-20T12:00:00.000Z']]);
    expect(startsOf('usr_owner', ...events)).toEqual([
      ['ocg_1', '2026-11-20T08:00:00.000Z'],
      ['ocg_1', '2026-11-20T18:00:00.000Z'],
    ]);
  });
  it('begin within 60 days, and are none of somebody who takes no turns', () => {
    const rotation = { ...oncallGroupCreated().rotation, anchor: '2027-01-20' };
    expect(startsOf('usr_owner', oncallGroupCreated({ rotation }))).toEqual([]);
    expect(startsOf('usr_admin', oncallGroupCreated())).toEqual([]);
  });
  it('are twenty of all groups at most, by their start', () => {
    const many = Array.from({ length: 15 }, (_, index) =>
      oncallGroupCreated({ groupId: `ocg_${index}`, name: `Group ${index}` }),
    );
    const found = startsOf('usr_owner', ...many);
    expect(found).toHaveLength(20);
    expect(
      found.slice(15).every(([, startsAt]) => startsAt === plus('2026-11-20T08:00:00.000Z', 2 * dayMs)),
    ).toBe(true);
  });
});
