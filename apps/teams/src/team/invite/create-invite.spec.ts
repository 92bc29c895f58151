import type { TeamEvent } from '@carillon/contracts';
import { family, given, inviteCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { createInvite, type Inviting } from './create-invite';

const at = '2026-11-20T10:00:00.000Z';
const inAWeek = '2026-11-27T10:00:00.000Z';

const ask = (accountId: string, asked: Partial<Inviting> = {}) =>
  createInvite({
    teamId: 'team_1',
    accountId,
    inviteId: 'inv_1',
    role: 'member',
    email: null,
    domain: null,
    codeHash: 'hash_1',
    inviteeId: null,
    at,
    ...asked,
  });

const verified: TeamEvent = {
  type: 'DomainVerified',
  teamId: 'team_1',
  domain: 'acme.test',
  verifiedAt: at,
};
const forAddress = (n: number) =>
  inviteCreated({ inviteId: `inv_${n}`, form: 'email', email: `person${n}@example.test` });
const joined = (n: number): TeamEvent => ({
  type: 'MemberJoined',
  teamId: 'team_1',
  accountId: `usr_${n}`,
  role: 'member',
  by: 'invite',
  joinedAt: at,
});
const many = <Each>(count: number, each: (n: number) => Each): Each[] =>
  Array.from({ length: count }, (_, n) => each(n));

describe('inviting into a workplace team', () => {
  it('is for an address, a domain, or anybody with the link, and valid for a week', () => {
    const asked = given(team, ...workplaceTeam, verified);
    const made = { invitedBy: 'usr_admin', createdAt: at, expiresAt: inAWeek };
    asked
      .when(ask('usr_admin', { email: 'eve@example.test' }))
      .then(inviteCreated({ ...made, form: 'email', email: 'eve@example.test' }));
    asked
      .when(ask('usr_admin', { domain: 'acme.test' }))
      .then(inviteCreated({ ...made, form: 'domain', domain: 'acme.test' }));
    asked.when(ask('usr_admin')).then(inviteCreated(made));
  });
  it('does nothing the second time', () =>
    given(team, ...workplaceTeam, inviteCreated())
      .when(ask('usr_admin'))
      .thenNothing());
  it('is for admins and the owner, who alone invites admins', () => {
    const asked = given(team, ...workplaceTeam);
    asked.when(ask('usr_member')).thenRefused('team.forbidden_role');
    asked.when(ask('usr_admin', { role: 'admin' })).thenRefused('team.forbidden_role');
    asked
      .when(ask('usr_owner', { role: 'admin' }))
      .then(inviteCreated({ role: 'admin', createdAt: at, expiresAt: inAWeek }));
  });
  it('is refused as unknown outside the team', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_other'))
      .thenRefused('team.unknown'));
  it('is for no domain but the verified one', () => {
    given(team, ...workplaceTeam)
      .when(ask('usr_owner', { domain: 'acme.test' }))
      .thenRefused('domain.not_verified');
    given(team, ...workplaceTeam, verified)
      .when(ask('usr_owner', { domain: 'mail.acme.test' }))
      .thenRefused('domain.not_verified');
  });
  it('is not for the address of a member', () => {
    const asked = given(team, ...workplaceTeam);
    asked
      .when(ask('usr_owner', { email: 'm@example.test', inviteeId: 'usr_member' }))
      .thenRefused('member.exists');
    asked
      .when(ask('usr_owner', { email: 'm@example.test', inviteeId: 'usr_other' }))
      .then(inviteCreated({ form: 'email', email: 'm@example.test', createdAt: at, expiresAt: inAWeek }));
  });
  it('is refused with 500 members, and not with 499', () => {
    given(team, ...workplaceTeam, ...many(495, joined))
      .when(ask('usr_owner'))
      .then(inviteCreated({ createdAt: at, expiresAt: inAWeek }));
    given(team, ...workplaceTeam, ...many(496, joined))
      .when(ask('usr_owner'))
      .thenRefused('team.seat_limit_reached', { limit: 500 });
  });
  it('is refused while 100 invites are open, and not for those that are over', () => {
    const hundred = many(100, (n) => inviteCreated({ inviteId: `inv_${n + 10}` }));
    given(team, ...workplaceTeam, ...hundred)
      .when(ask('usr_owner'))
      .thenRefused('resource.limit_reached', { limit: 100 });
    given(team, ...workplaceTeam, ...hundred, {
      type: 'InviteRevoked',
      teamId: 'team_1',
      inviteId: 'inv_10',
      revokedAt: at,
    })
      .when(ask('usr_owner'))
      .then(inviteCreated({ createdAt: at, expiresAt: inAWeek }));
    const later = '2026-11-27T09:00:00.000Z';
    given(team, ...workplaceTeam, ...hundred)
      .when(ask('usr_owner', { at: later }))
      .then(inviteCreated({ createdAt: later, expiresAt: '2026-12-04T09:00:00.000Z' }));
  });
});

describe('inviting into a family', () => {
  it('is for its owner, who invites members only', () => {
    given(team, ...family)
      .when(ask('usr_owner'))
      .then(inviteCreated({ createdAt: at, expiresAt: inAWeek }));
    given(team, ...family)
      .when(ask('usr_member'))
      .thenRefused('team.forbidden_role');
    given(team, ...family)
      .when(ask('usr_owner', { role: 'admin' }))
      .thenRefused('team.feature_unavailable');
    given(team, ...family)
      .when(ask('usr_owner', { domain: 'acme.test' }))
      .thenRefused('domain.not_verified');
  });
  it('ends where members and open invites for an address are four', () => {
    given(team, ...family, forAddress(2))
      .when(ask('usr_owner', { email: 'eve@example.test' }))
      .then(inviteCreated({ form: 'email', email: 'eve@example.test', createdAt: at, expiresAt: inAWeek }));
    for (const email of ['eve@example.test', null])
      given(team, ...family, forAddress(2), forAddress(3))
        .when(ask('usr_owner', { email }))
        .thenRefused('family.capacity_exceeded', { limit: 4 });
  });
  it('counts neither links nor what is over', () => {
    const used: TeamEvent = {
      type: 'InviteRevoked',
      teamId: 'team_1',
      inviteId: 'inv_2',
      revokedAt: at,
    };
    const links = [inviteCreated({ inviteId: 'inv_8' }), inviteCreated({ inviteId: 'inv_9' })];
    given(team, ...family, ...links, forAddress(2), forAddress(3), used)
      .when(ask('usr_owner'))
      .then(inviteCreated({ createdAt: at, expiresAt: inAWeek }));
  });
});
