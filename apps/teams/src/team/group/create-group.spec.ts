import type { GroupDevice, MemberLeft } from '@carillon/contracts';
import { deviceGroupCreated, family, given, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { createGroup, type Creating } from './create-group';

const at = '2026-11-20T10:00:00.000Z';

const phoneOf = (accountId: string): GroupDevice => ({
  deviceId: `dev_${accountId}`,
  accountId,
  removals: 0,
});

const ask = (accountId: string, asked: Partial<Creating> = {}) =>
  createGroup({
    teamId: 'team_1',
    accountId,
    groupId: 'dgr_1',
    name: 'On call',
    accountIds: [],
    deviceIds: [],
    known: [],
    fingerprint: null,
    at,
    ...asked,
  });

const left: MemberLeft = { type: 'MemberLeft', teamId: 'team_1', accountId: 'usr_member', leftAt: at };

describe('making a device group', () => {
  it('names people of the team, and single devices of theirs', () =>
    given(team, ...workplaceTeam)
      .when(
        ask('usr_admin', {
          accountIds: ['usr_owner', 'usr_admin'],
          deviceIds: ['dev_usr_member'],
          known: [phoneOf('usr_member')],
        }),
      )
      .then(
        deviceGroupCreated({
          accountIds: ['usr_owner', 'usr_admin'],
          devices: [phoneOf('usr_member')],
          createdAt: at,
        }),
      ));
  it('does nothing the second time', () =>
    given(team, ...workplaceTeam, deviceGroupCreated())
      .when(ask('usr_admin'))
      .thenNothing());
  it('does nothing the second time when the group is deleted by then', () =>
    given(team, ...workplaceTeam, deviceGroupCreated(), {
      type: 'DeviceGroupDeleted',
      teamId: 'team_1',
      groupId: 'dgr_1',
      name: 'On call',
      deletedAt: at,
    })
      .when(ask('usr_admin'))
      .thenNothing());
  it('is refused to a key that came with something else', () =>
    given(team, ...workplaceTeam, deviceGroupCreated({ fingerprint: 'a' }))
      .when(ask('usr_admin', { fingerprint: 'b' }))
      .thenRefused('idempotency.key_reused'));
  it('is for the owner of a family', () => {
    given(team, ...family)
      .when(ask('usr_owner'))
      .then(deviceGroupCreated({ createdAt: at }));
    given(team, ...family)
      .when(ask('usr_member'))
      .thenRefused('team.forbidden_role');
  });
  it('is not for a member, whatever is wrong with the rest', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_member', { accountIds: ['usr_stranger'], deviceIds: ['dev_1'] }))
      .thenRefused('team.forbidden_role'));
  it('tells nobody outside whether the team exists', () => {
    for (const state of [workplaceTeam, []])
      given(team, ...state)
        .when(ask('usr_stranger'))
        .thenRefused('team.unknown');
  });
  it('names nobody outside the team', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_owner', { accountIds: ['usr_owner', 'usr_stranger'] }))
      .thenRefused('member.not_found'));
  it.each([
    ['nobody', []],
    ['somebody outside the team', [phoneOf('usr_stranger')]],
  ])('names no device of %s', (_, known) =>
    given(team, ...workplaceTeam)
      .when(ask('usr_owner', { deviceIds: ['dev_usr_stranger'], known }))
      .thenRefused('device.not_found'),
  );
  it('names neither somebody who left while it was asked, nor their device', () => {
    given(team, ...workplaceTeam, left)
      .when(ask('usr_owner', { accountIds: ['usr_member'] }))
      .thenRefused('member.not_found');
    given(team, ...workplaceTeam, left)
      .when(ask('usr_owner', { deviceIds: ['dev_usr_member'], known: [phoneOf('usr_member')] }))
      .thenRefused('device.not_found');
  });
  it.each([
    ['ON CALL', 'on call'],
    ['Straße', 'STRASSE'],
    ['Caf\u00e9', 'CAFE\u0301'],
    ['ΟΔΟΣ', 'οδος'],
  ])('takes no name that another group has but for its case: %s and %s', (taken, name) =>
    given(team, ...workplaceTeam, deviceGroupCreated({ groupId: 'dgr_0', name: taken }))
      .when(ask('usr_owner', { name }))
      .thenRefused('name.taken'),
  );
  it('takes the name of a group that is deleted', () =>
    given(team, ...workplaceTeam, deviceGroupCreated({ groupId: 'dgr_0' }), {
      type: 'DeviceGroupDeleted',
      teamId: 'team_1',
      groupId: 'dgr_0',
      name: 'On call',
      deletedAt: at,
    })
      .when(ask('usr_owner'))
      .then(deviceGroupCreated({ createdAt: at })));
  it('has an end at 100 in a team', () => {
    const groups = Array.from({ length: 100 }, (_, n) =>
      deviceGroupCreated({ groupId: `dgr_x${n}`, name: `Group ${n}` }),
    );
    given(team, ...workplaceTeam, ...groups)
      .when(ask('usr_owner'))
      .thenRefused('resource.limit_reached', { limit: 100 });
    given(team, ...workplaceTeam, ...groups.slice(1))
      .when(ask('usr_owner'))
      .then(deviceGroupCreated({ createdAt: at }));
  });
});
