import type { TeamEvent } from '@carillon/contracts';
import { oncallGroupCreated, overrideCreated, workplaceTeam } from '@carillon/testkit';
import { knownAt } from './known-at';

const changed: TeamEvent = {
  type: 'OncallGroupChanged',
  teamId: 'team_1',
  groupId: 'ocg_1',
  rotation: { ...oncallGroupCreated().rotation, accountIds: ['usr_admin'] },
  changedAt: '2026-11-21T10:00:00.000Z',
};
const events: readonly TeamEvent[] = [
  ...workplaceTeam,
  oncallGroupCreated({ createdAt: '2026-11-20T10:00:00.000Z' }),
  overrideCreated({ createdAt: '2026-11-20T11:00:00.000Z' }),
  changed,
  {
    type: 'DeviceLeftGroups',
    teamId: 'team_1',
    deviceId: 'dev_1',
    removals: 1,
    leftAt: '2026-11-22T10:00:00.000Z',
  },
];
const groupsAt = (at: string) => knownAt(events, at).state?.oncall;

describe('a team at a time', () => {
  it('has the groups that it had then, as they were', () => {
    expect(groupsAt('2026-11-20T09:59:59.999Z')).toEqual([]);
    expect(groupsAt('2026-11-20T10:00:00.000Z')).toMatchObject([{ overrides: [] }]);
    expect(groupsAt('2026-11-21T09:59:59.999Z')).toMatchObject([
      { rotation: { accountIds: ['usr_owner', 'usr_member'] }, overrides: [{ overrideId: 'ovr_1' }] },
    ]);
    expect(groupsAt('2026-11-21T10:00:00.000Z')).toMatchObject([{ rotation: { accountIds: ['usr_admin'] } }]);
  });
  it('is none before it was made', () =>
    expect(knownAt(events, '2020-01-01T00:00:00.000Z').state).toBeNull());
  it('is the same by events that come in parts, up to the one that goes beyond', () => {
    const at = '2026-11-21T09:59:59.999Z';
    const first = knownAt(events.slice(0, -3), at);
    expect(first.isAll).toBe(false);
    expect(knownAt(events.slice(-3), at, first.state)).toEqual({ ...knownAt(events, at), isAll: true });
  });
});
