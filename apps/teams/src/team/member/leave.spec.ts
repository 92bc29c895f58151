import type { TeamEvent } from '@carillon/contracts';
import { family, given, inviteCreated, oncallGroupCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { leave, remove } from './leave';

const at = '2026-11-20T10:00:00.000Z';
const leaving = (accountId: string) => leave({ teamId: 'team_1', accountId, at });
const removing = (accountId: string, memberId: string) =>
  remove({ teamId: 'team_1', accountId, memberId, at });

const left = (accountId: string): TeamEvent => ({
  type: 'MemberLeft',
  teamId: 'team_1',
  accountId,
  leftAt: at,
});
const removed = (accountId: string, removedBy: string): TeamEvent => ({
  type: 'MemberRemoved',
  teamId: 'team_1',
  accountId,
  removedBy,
  removedAt: at,
});

describe('leaving a team', () => {
  it.each(['usr_member', 'usr_admin'])('is for %s', (accountId) =>
    given(team, ...workplaceTeam)
      .when(leaving(accountId))
      .then(left(accountId)),
  );
  it('finds no such team the second time', () =>
    given(team, ...workplaceTeam, left('usr_member'))
      .when(leaving('usr_member'))
      .thenRefused('team.unknown'));
  it('is not for the owner, not even of an empty family', () => {
    for (const there of [workplaceTeam, family, family.slice(0, 2)])
      given(team, ...there)
        .when(leaving('usr_owner'))
        .thenRefused('team.owner_must_transfer');
  });
  it('is for the owner that was', () =>
    given(team, ...family, {
      type: 'OwnershipTransferred',
      teamId: 'team_1',
      fromAccountId: 'usr_owner',
      toAccountId: 'usr_member',
      transferredAt: at,
    })
      .when(leaving('usr_owner'))
      .then(left('usr_owner')));
  it('tells a stranger nothing', () =>
    given(team, ...workplaceTeam)
      .when(leaving('usr_stranger'))
      .thenRefused('team.unknown'));
});

describe('removing a member', () => {
  it('is done by the owner, of members and admins', () => {
    for (const memberId of ['usr_member', 'usr_admin'])
      given(team, ...workplaceTeam)
        .when(removing('usr_owner', memberId))
        .then(removed(memberId, 'usr_owner'));
    given(team, ...family)
      .when(removing('usr_owner', 'usr_member'))
      .then(removed('usr_member', 'usr_owner'));
  });
  it('is done by an admin, of members', () =>
    given(team, ...workplaceTeam)
      .when(removing('usr_admin', 'usr_member'))
      .then(removed('usr_member', 'usr_admin')));
  it('is not done by an admin to another', () =>
    given(team, ...workplaceTeam)
      .when(removing('usr_admin', 'usr_admin2'))
      .thenRefused('team.forbidden_role'));
  it('is not done to the owner', () =>
    given(team, ...workplaceTeam)
      .when(removing('usr_admin', 'usr_owner'))
      .thenRefused('team.owner_cannot_be_removed'));
  it('is not done by a member', () => {
    for (const memberId of ['usr_admin', 'usr_owner'])
      given(team, ...workplaceTeam)
        .when(removing('usr_member', memberId))
        .thenRefused('team.forbidden_role');
    given(team, ...family)
      .when(removing('usr_member', 'usr_owner'))
      .thenRefused('team.forbidden_role');
  });
  it('finds nobody the second time', () =>
    given(team, ...workplaceTeam, removed('usr_member', 'usr_admin'))
      .when(removing('usr_admin', 'usr_member'))
      .thenRefused('member.unknown'));
  it('of oneself is leaving', () => {
    for (const accountId of ['usr_member', 'usr_admin'])
      given(team, ...workplaceTeam)
        .when(removing(accountId, accountId))
        .then(left(accountId));
    given(team, ...workplaceTeam)
      .when(removing('usr_owner', 'usr_owner'))
      .thenRefused('team.owner_must_transfer');
  });
});

describe('the open invites of a team', () => {
  const invites = [
    inviteCreated({ inviteId: 'inv_own', form: 'email', email: 'a@example.test', invitedBy: 'usr_admin' }),
    inviteCreated({ inviteId: 'inv_link' }),
    inviteCreated({ inviteId: 'inv_domain', form: 'domain', domain: 'acme.test' }),
    inviteCreated({ inviteId: 'inv_email', form: 'email', email: 'b@example.test' }),
    inviteCreated({ inviteId: 'inv_over', expiresAt: at }),
  ];
  const revoked = (inviteId: string): TeamEvent => ({
    type: 'InviteRevoked',
    teamId: 'team_1',
    inviteId,
    revokedAt: at,
  });
  it('of a member that leaves are revoked', () =>
    given(team, ...workplaceTeam, ...invites)
      .when(leaving('usr_admin'))
      .then(left('usr_admin'), revoked('inv_own')));
  it('of a removed member are revoked, and so are the links, which they know', () =>
    given(team, ...workplaceTeam, ...invites)
      .when(removing('usr_owner', 'usr_admin'))
      .then(removed('usr_admin', 'usr_owner'), revoked('inv_own'), revoked('inv_link')));
  it('are revoked once', () =>
    given(team, ...workplaceTeam, ...invites, left('usr_admin'), revoked('inv_own'), revoked('inv_link'))
      .when(removing('usr_owner', 'usr_member'))
      .then(removed('usr_member', 'usr_owner')));
});

describe('an on-call group whose last one leaves', () => {
  const rotation = { ...oncallGroupCreated().rotation, accountIds: ['usr_member'] };
  const groups = [
    oncallGroupCreated({ rotation }),
    oncallGroupCreated({ groupId: 'ocg_2', name: 'Platform' }),
  ];
  const emptied: TeamEvent = {
    type: 'OncallGroupEmptied',
    teamId: 'team_1',
    groupId: 'ocg_1',
    accountId: 'usr_member',
    emptiedAt: at,
  };
  it('is told of behind their leaving, and others are not', () => {
    given(team, ...workplaceTeam, ...groups)
      .when(leaving('usr_member'))
      .then(left('usr_member'), emptied);
    given(team, ...workplaceTeam, ...groups)
      .when(removing('usr_admin', 'usr_member'))
      .then(removed('usr_member', 'usr_admin'), emptied);
    given(team, ...workplaceTeam, ...groups)
      .when(leaving('usr_admin'))
      .then(left('usr_admin'));
  });
  it('is told of once', () =>
    given(team, ...workplaceTeam, ...groups, left('usr_member'), emptied)
      .when(leaving('usr_admin'))
      .then(left('usr_admin')));
});
