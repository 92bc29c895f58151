import type { TeamEvent } from '@carillon/contracts';
import { fold, type Instant } from '@carillon/eventing';
import { oncallGroupCreated, overrideCreated, workplaceTeam } from '@carillon/testkit';
import { type ChangedSchedule, dutyAt } from '../../rotation/duty';
import type { RotationSchedule } from '../../rotation/rotation';
import { team } from '../../team/team';
import { handoffs } from './notice';

const rotation: RotationSchedule = {
  accountIds: ['usr_owner', 'usr_member'],
  period: 'daily',
  handoffAt: '09:00',
  timezone: 'UTC',
  anchor: '2026-11-20',
};
const on = (day: number, time: string): Instant => `2026-11-${day}T${time}:00.000Z`;

describe('who is on call', () => {
  it('changes at once with the rotation, with an override that is taken back, and with a member who leaves', () => {
    const at = on(20, '10:00');
    const groupAfter = (...events: TeamEvent[]): ChangedSchedule => {
      const state = fold(team, [...workplaceTeam, oncallGroupCreated({ rotation }), ...events]);
      const [group] = state?.oncall ?? [];
      if (!group) throw new Error('There is no group');
      return group;
    };
    const ofGroup = { teamId: 'team_1', groupId: 'ocg_1' };
    const turned = { ...rotation, accountIds: ['usr_admin'] };
    const edited = groupAfter({ type: 'OncallGroupChanged', ...ofGroup, rotation: turned, changedAt: at });
    expect(dutyAt(edited, on(20, '10:05'))).toEqual({ accountId: 'usr_admin', since: at, until: null });
    const left = groupAfter({ type: 'MemberLeft', teamId: 'team_1', accountId: 'usr_owner', leftAt: at });
    expect(dutyAt(left, on(20, '10:05'))).toEqual({ accountId: 'usr_member', since: at, until: null });
    const made = overrideCreated({ startsAt: on(20, '09:30'), endsAt: on(20, '12:00') });
    const { overrideId, accountId } = made;
    const ended = { type: 'OverrideDeleted', ...ofGroup, overrideId, accountId, deletedAt: at } as const;
    const back = { accountId: 'usr_owner', since: at, until: on(21, '09:00') };
    expect(dutyAt(groupAfter(made, ended), on(20, '10:05'))).toEqual(back);
  });
});

it('the end of a shift is its own when another shift, or a gap, has passed since', () => {
  const before = { accountId: 'usr_owner', until: on(20, '10:00') };
  const since = on(20, '10:30');
  const end = { accountId: 'usr_owner', change: 'end', at: on(20, '10:00') };
  expect(handoffs(before, { accountId: null, since, until: null })).toEqual([end]);
  const next = { accountId: 'usr_admin', since, until: on(20, '12:00') };
  expect(handoffs(before, next)).toEqual([
    end,
    { accountId: 'usr_admin', change: 'begin', at: since, until: on(20, '12:00') },
  ]);
  // A change of the schedule has ended it before its time.
  expect(handoffs({ ...before, until: on(20, '18:00') }, next)[0]).toEqual({ ...end, at: since });
});
