import type { DeviceGroupChanged, GroupDevice, MemberRemoved } from '@carillon/contracts';
import { deviceGroupCreated, family, given, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { changeGroup, type Changing } from './change-group';

const at = '2026-11-20T10:00:00.000Z';
const phone: GroupDevice = { deviceId: 'dev_1', accountId: 'usr_member', removals: 0 };
const group = deviceGroupCreated({ accountIds: ['usr_admin', 'usr_member'], devices: [phone] });

const ask = (accountId: string, asked: Partial<Changing>) =>
  changeGroup({
    teamId: 'team_1',
    groupId: 'dgr_1',
    name: undefined,
    accountIds: undefined,
    deviceIds: undefined,
    known: [],
    accountId,
    at,
    ...asked,
  });
const changed = (changes: Partial<DeviceGroupChanged>): DeviceGroupChanged => ({
  type: 'DeviceGroupChanged',
  teamId: 'team_1',
  groupId: 'dgr_1',
  ...changes,
  changedAt: at,
});
const removed: MemberRemoved = {
  type: 'MemberRemoved',
  teamId: 'team_1',
  accountId: 'usr_member',
  removedBy: 'usr_owner',
  removedAt: at,
};

describe('changing a device group', () => {
  it('keeps what is absent', () =>
    given(team, ...workplaceTeam, group)
      .when(ask('usr_admin', { name: 'Night' }))
      .then(changed({ name: 'Night', formerName: 'On call' })));
  it('replaces lists as a whole', () =>
    given(team, ...workplaceTeam, group)
      .when(ask('usr_admin', { accountIds: ['usr_owner'], deviceIds: [] }))
      .then(
        changed({
          accountIds: ['usr_owner'],
          formerAccountIds: ['usr_admin', 'usr_member'],
          devices: [],
          formerDevices: [phone],
        }),
      ));
  it('does nothing the second time', () =>
    given(team, ...workplaceTeam, group, changed({ name: 'Night', devices: [] }))
      .when(ask('usr_admin', { name: 'Night', accountIds: ['usr_admin', 'usr_member'], deviceIds: [] }))
      .thenNothing());
  it('adds a device again that was removed and came back', () =>
    given(team, ...workplaceTeam, group)
      .when(ask('usr_admin', { deviceIds: ['dev_1'], known: [{ ...phone, removals: 1 }] }))
      .then(changed({ devices: [{ ...phone, removals: 1 }], formerDevices: [phone] })));
  it('may write its own name in another case, but not that of another group', () => {
    given(team, ...workplaceTeam, group)
      .when(ask('usr_admin', { name: 'ON CALL' }))
      .then(changed({ name: 'ON CALL', formerName: 'On call' }));
    given(team, ...workplaceTeam, group, deviceGroupCreated({ groupId: 'dgr_2', name: 'Night' }))
      .when(ask('usr_admin', { name: 'NIGHT' }))
      .thenRefused('name.taken');
  });
  it('changes nothing when one field is refused', () => {
    given(team, ...workplaceTeam, group)
      .when(ask('usr_admin', { name: 'Night', accountIds: ['usr_stranger'] }))
      .thenRefused('member.not_found');
    given(team, ...workplaceTeam, group)
      .when(ask('usr_admin', { name: 'Night', deviceIds: ['dev_2'] }))
      .thenRefused('device.not_found');
  });
  it('names neither somebody who was removed while it was asked, nor their device', () => {
    given(team, ...workplaceTeam, group, removed)
      .when(ask('usr_admin', { accountIds: ['usr_member'] }))
      .thenRefused('member.not_found');
    given(team, ...workplaceTeam, group, removed)
      .when(ask('usr_admin', { deviceIds: ['dev_1'], known: [phone] }))
      .thenRefused('device.not_found');
  });
  it('is not for a member, who may know of the group', () => {
    for (const state of [workplaceTeam, family])
      given(team, ...state, group)
        .when(ask('usr_member', { name: 'Mine' }))
        .thenRefused('team.forbidden_role');
  });
  it('finds no group that is not there, and for strangers none at all', () => {
    given(team, ...workplaceTeam)
      .when(ask('usr_member', { name: 'Night' }))
      .thenRefused('device_group.unknown');
    given(team, ...workplaceTeam, group)
      .when(ask('usr_stranger', { name: 'Night' }))
      .thenRefused('team.unknown');
  });
});

describe('a member who leaves a team', () => {
  it('leaves its device groups with all their devices', () => {
    const state = [...workplaceTeam, group, removed].reduce(team.evolve, team.initial);
    expect(state?.groups).toMatchObject([{ accountIds: ['usr_admin'], devices: [] }]);
  });
});
