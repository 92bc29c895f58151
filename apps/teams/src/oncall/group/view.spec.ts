import type { TeamEvent } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { oncallGroupCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../../team/team';
import { oncallGroupView } from './view';

const at = '2026-11-25T10:00:00.000Z';
const handoff = '2026-11-25T08:00:00.000Z';
const made = oncallGroupCreated();
const rotatedTo = (...accountIds: string[]): TeamEvent => ({
  type: 'OncallGroupChanged',
  teamId: 'team_1',
  groupId: 'ocg_1',
  rotation: { ...made.rotation, accountIds },
  changedAt: at,
});

/** Who is on call, and since when. */
function current(now: string, ...events: readonly TeamEvent[]) {
  const group = fold(team, [...workplaceTeam, made, ...events])?.oncall[0];
  if (!group) throw new Error('The group is gone');
  const seen = { teamId: 'team_1', openPageCount: 0, now };
  const personOf = (accountId: string) => ({ accountId, name: accountId, email: '', emailVerified: true });
  const shown = oncallGroupView(group, { ...seen, personOf }).current;
  return shown && [shown.person.userId, shown.startsAt];
}

describe('who is on call', () => {
  it('is so since the handoff', () => expect(current(at)).toEqual(['usr_member', handoff]));

  it('is so since the change that put them there, up to the next handoff', () => {
    expect(current(at, rotatedTo('usr_admin'))).toEqual(['usr_admin', at]);
    expect(current('2026-11-25T20:00:00.000Z', rotatedTo('usr_admin'))).toEqual(['usr_admin', at]);
    expect(current('2026-11-26T08:00:00.000Z', rotatedTo('usr_admin'))).toEqual([
      'usr_admin',
      '2026-11-26T08:00:00.000Z',
    ]);
  });

  it('is so since the handoff when a change is about others', () =>
    expect(current(at, rotatedTo('usr_admin', 'usr_member'))).toEqual(['usr_member', handoff]));

  it('is so since another one has left the team', () => {
    const left: TeamEvent = { type: 'MemberLeft', teamId: 'team_1', accountId: 'usr_member', leftAt: at };
    expect(current(at, left)).toEqual(['usr_owner', at]);
  });
});
