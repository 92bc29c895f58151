import type { TeamEvent, TeamRole } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { family, given, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { changeRole } from './change-role';

const at = '2026-11-20T10:00:00.000Z';
const make = (accountId: string, memberId: string, role: TeamRole) =>
  changeRole({ teamId: 'team_1', accountId, memberId, role, at });

const changed = (accountId: string, formerRole: TeamRole, role: TeamRole): TeamEvent => ({
  type: 'MemberRoleChanged',
  teamId: 'team_1',
  accountId,
  role,
  formerRole,
  changedAt: at,
});
const transferred = (toAccountId: string): TeamEvent => ({
  type: 'OwnershipTransferred',
  teamId: 'team_1',
  fromAccountId: 'usr_owner',
  toAccountId,
  transferredAt: at,
});
const rolesAfter = (...events: readonly TeamEvent[]) =>
  Object.fromEntries(fold(team, events)?.members.map(({ accountId, role }) => [accountId, role]) ?? []);

describe('the role of a member', () => {
  it.each(['usr_owner', 'usr_admin'])('is made admin and member again by %s', (accountId) => {
    given(team, ...workplaceTeam)
      .when(make(accountId, 'usr_member', 'admin'))
      .then(changed('usr_member', 'member', 'admin'));
    given(team, ...workplaceTeam)
      .when(make(accountId, 'usr_admin2', 'member'))
      .then(changed('usr_admin2', 'admin', 'member'));
  });
  it('is changed once', () =>
    given(team, ...workplaceTeam, changed('usr_member', 'member', 'admin'))
      .when(make('usr_admin', 'usr_member', 'admin'))
      .thenNothing());
  it('is given up by an admin', () =>
    given(team, ...workplaceTeam)
      .when(make('usr_admin', 'usr_admin', 'member'))
      .then(changed('usr_admin', 'admin', 'member')));
  it('is not for a member to change, not even their own', () => {
    for (const memberId of ['usr_member', 'usr_admin', 'usr_owner'])
      for (const role of ['member', 'admin', 'owner'] as const)
        given(team, ...workplaceTeam)
          .when(make('usr_member', memberId, role))
          .thenRefused('team.forbidden_role');
  });
  it('is unknown of somebody who is not in the team, and to them', () => {
    given(team, ...workplaceTeam)
      .when(make('usr_owner', 'usr_stranger', 'admin'))
      .thenRefused('member.unknown');
    given(team, ...workplaceTeam)
      .when(make('usr_stranger', 'usr_member', 'admin'))
      .thenRefused('team.unknown');
  });
  it('is always member in a family', () => {
    for (const accountId of ['usr_owner', 'usr_member'])
      given(team, ...family)
        .when(make(accountId, 'usr_member', 'admin'))
        .thenRefused('team.feature_unavailable');
    given(team, ...family)
      .when(make('usr_owner', 'usr_member', 'member'))
      .thenNothing();
  });
});

describe('the owner of a team', () => {
  it('makes somebody else the owner, and is an admin then', () => {
    given(team, ...workplaceTeam)
      .when(make('usr_owner', 'usr_member', 'owner'))
      .then(transferred('usr_member'));
    expect(rolesAfter(...workplaceTeam, transferred('usr_member'))).toEqual({
      usr_owner: 'admin',
      usr_admin: 'admin',
      usr_admin2: 'admin',
      usr_member: 'owner',
    });
  });
  it('is a member then in a family', () => {
    given(team, ...family)
      .when(make('usr_owner', 'usr_member', 'owner'))
      .then(transferred('usr_member'));
    expect(rolesAfter(...family, transferred('usr_member'))).toEqual({
      usr_owner: 'member',
      usr_member: 'owner',
    });
  });
  it('does so once: of two at once the second is not the owner any more', () => {
    for (const toAccountId of ['usr_member', 'usr_admin2'])
      given(team, ...workplaceTeam, transferred('usr_member'))
        .when(make('usr_owner', toAccountId, 'owner'))
        .thenRefused('team.forbidden_role');
    given(team, ...family, transferred('usr_member'))
      .when(make('usr_owner', 'usr_member', 'owner'))
      .thenRefused('team.forbidden_role');
  });
  it('stays the owner when made so again', () =>
    given(team, ...workplaceTeam)
      .when(make('usr_owner', 'usr_owner', 'owner'))
      .thenNothing());
  it('gives that up only to somebody else', () => {
    for (const role of ['admin', 'member'] as const)
      given(team, ...workplaceTeam)
        .when(make('usr_owner', 'usr_owner', role))
        .thenRefused('team.owner_must_transfer');
    given(team, ...family)
      .when(make('usr_owner', 'usr_owner', 'member'))
      .thenRefused('team.owner_must_transfer');
  });
  it('is not made by an admin, nor unmade', () => {
    for (const [memberId, role] of [
      ['usr_admin', 'owner'],
      ['usr_member', 'owner'],
      ['usr_owner', 'owner'],
      ['usr_owner', 'admin'],
      ['usr_owner', 'member'],
    ] as const)
      given(team, ...workplaceTeam)
        .when(make('usr_admin', memberId, role))
        .thenRefused('team.forbidden_role');
  });
});
