import type { TeamEvent } from '@carillon/contracts';
import { oncallGroupCreated, overrideCreated, workplaceTeam } from '@carillon/testkit';
import { heldShifts, Schedules } from './held-shifts';

const created = oncallGroupCreated({ createdAt: '2026-11-20T10:00:00.000Z' });
const at = (day: number, hour: number): string =>
  `2026-11-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00.000Z`;
const rotationOf = (...accountIds: string[]) => ({
  ...created.rotation,
  accountIds,
  period: 'weekly' as const,
  handoffAt: '09:00',
  timezone: 'UTC',
  anchor: '2026-11-16',
});
const alone: TeamEvent = { ...created, rotation: rotationOf('usr_owner') };
const override = overrideCreated({
  accountId: 'usr_member',
  startsAt: at(21, 0),
  endsAt: at(22, 0),
  createdAt: at(20, 12),
});
const changed: TeamEvent = {
  type: 'OncallGroupChanged',
  teamId: 'team_1',
  groupId: 'ocg_1',
  rotation: rotationOf('usr_admin'),
  changedAt: at(22, 12),
};
const held = (events: readonly TeamEvent[], from: string, to: string) => {
  const schedules = new Schedules('ocg_1');
  // As the log gives them: in parts.
  for (const event of [...workplaceTeam, ...events]) schedules.add([event]);
  return heldShifts(schedules.all, { startsAt: from, endsAt: to }).map(({ accountId, startsAt, endsAt }) => [
    accountId,
    startsAt,
    endsAt,
  ]);
};

describe('the shifts of a window', () => {
  it('begin with the group, are cut to the window, and go on through a change that leaves them', () => {
    expect(held([alone], at(19, 0), at(21, 0))).toEqual([['usr_owner', created.createdAt, at(21, 0)]]);
    expect(held([alone, override], at(20, 11), at(20, 14))).toEqual([['usr_owner', at(20, 11), at(20, 14)]]);
    expect(held([alone], at(18, 0), at(19, 0))).toEqual([]);
  });

  it('are those of the schedule that held then, and of the last one in what follows', () =>
    expect(held([alone, override, changed], at(20, 12), at(25, 0))).toEqual([
      ['usr_owner', at(20, 12), at(21, 0)],
      ['usr_member', at(21, 0), at(22, 0)],
      ['usr_owner', at(22, 0), at(22, 12)],
      ['usr_admin', at(22, 12), at(23, 9)],
      ['usr_admin', at(23, 9), at(25, 0)],
    ]));

  it('are none of a group that is not there', () => {
    const schedules = new Schedules('ocg_2');
    schedules.add([...workplaceTeam, alone]);
    expect(schedules.all).toEqual([]);
    expect(heldShifts(schedules.all, { startsAt: at(20, 0), endsAt: at(21, 0) })).toEqual([]);
  });
});
