import type { DeviceGroupDeleted } from '@carillon/contracts';
import { deviceGroupCreated, family, given, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { deleteGroup } from './delete-group';

const at = '2026-11-20T10:00:00.000Z';
const ask = (accountId: string) => deleteGroup({ teamId: 'team_1', groupId: 'dgr_1', accountId, at });
const deleted: DeviceGroupDeleted = {
  type: 'DeviceGroupDeleted',
  teamId: 'team_1',
  groupId: 'dgr_1',
  name: 'On call',
  deletedAt: at,
};

describe('deleting a device group', () => {
  it('is for an admin, in a family for the owner', () => {
    given(team, ...workplaceTeam, deviceGroupCreated())
      .when(ask('usr_admin'))
      .then(deleted);
    given(team, ...family, deviceGroupCreated())
      .when(ask('usr_owner'))
      .then(deleted);
  });
  it('is not for a member', () => {
    for (const state of [workplaceTeam, family])
      given(team, ...state, deviceGroupCreated())
        .when(ask('usr_member'))
        .thenRefused('team.forbidden_role');
  });
  it('finds none the second time, and for strangers none at all', () => {
    given(team, ...workplaceTeam, deviceGroupCreated(), deleted)
      .when(ask('usr_admin'))
      .thenRefused('device_group.unknown');
    given(team, ...workplaceTeam, deviceGroupCreated())
      .when(ask('usr_stranger'))
      .thenRefused('team.unknown');
  });
});
