import type { DeviceLeftGroups } from '@carillon/contracts';
import { deviceGroupCreated, given, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { leaveGroups } from './leave-groups';

const at = '2026-11-20T10:00:00.000Z';
const named = (removals: number) =>
  deviceGroupCreated({ devices: [{ deviceId: 'dev_1', accountId: 'usr_member', removals }] });
const removed = leaveGroups({ teamId: 'team_1', deviceId: 'dev_1', removals: 1, at });
const left: DeviceLeftGroups = {
  type: 'DeviceLeftGroups',
  teamId: 'team_1',
  deviceId: 'dev_1',
  removals: 1,
  leftAt: at,
};

describe('a device that was removed from its account', () => {
  it('leaves the groups that name it', () =>
    given(team, ...workplaceTeam, named(0))
      .when(removed)
      .then(left));
  it('does nothing the second time', () =>
    given(team, ...workplaceTeam, named(0), left)
      .when(removed)
      .thenNothing());
  it('stays where it was named after it had come back', () => {
    given(team, ...workplaceTeam, named(1))
      .when(removed)
      .thenNothing();
    const groups = [named(0), { ...named(1), groupId: 'dgr_2', name: 'Other' }, left] as const;
    const state = groups.reduce(team.evolve, workplaceTeam.reduce(team.evolve, team.initial));
    expect(state?.groups.map(({ devices }) => devices.length)).toEqual([0, 1]);
  });
  it('leaves nothing where it is not named, or where there is no team', () => {
    given(team, ...workplaceTeam, deviceGroupCreated())
      .when(removed)
      .thenNothing();
    given(team).when(removed).thenNothing();
  });
});
