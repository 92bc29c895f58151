import type { InviteAccepted, InviteForm, MemberJoined, TeamEvent } from '@carillon/contracts';
import { family, given, inviteCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { type Accepting, acceptInvite } from './accept-invite';

const at = '2026-11-20T10:00:00.000Z';
const teamId = 'team_1';

const accept = (asked: Partial<Accepting> = {}) =>
  acceptInvite({ teamId, accountId: 'usr_new', inviteId: 'inv_1', address: null, at, ...asked });

const accepted = (accountId = 'usr_new'): InviteAccepted => ({
  type: 'InviteAccepted',
  teamId,
  inviteId: 'inv_1',
  accountId,
  acceptedAt: at,
});
const joined = (accountId = 'usr_new', role: 'admin' | 'member' = 'member'): MemberJoined => ({
  type: 'MemberJoined',
  teamId,
  accountId,
  role,
  by: 'invite',
  joinedAt: at,
});
const forEve = inviteCreated({ form: 'email', email: 'Eve@Example.test' });
const verified: TeamEvent = { type: 'DomainVerified', teamId, domain: 'acme.test', verifiedAt: at };
const revoked: TeamEvent = { type: 'InviteRevoked', teamId, inviteId: 'inv_1', revokedAt: at };

describe('accepting an invite', () => {
  it('makes a member with the role of the invite', () => {
    given(team, ...workplaceTeam, inviteCreated())
      .when(accept())
      .then(accepted(), joined());
    given(team, ...workplaceTeam, inviteCreated({ role: 'admin' }))
      .when(accept())
      .then(accepted(), joined('usr_new', 'admin'));
  });
  it('for an address is for the account that has verified it, however it is written', () => {
    const asked = given(team, ...workplaceTeam, forEve);
    asked.when(accept({ address: 'eve@example.TEST' })).then(accepted(), joined());
    asked.when(accept({ address: 'adam@example.test' })).thenRefused('invite.other_address');
    asked.when(accept()).thenRefused('invite.other_address');
  });
  it('for an address that can no longer be read is for nobody', () =>
    given(team, ...workplaceTeam, inviteCreated({ form: 'email' }))
      .when(accept({ address: 'eve@example.test' }))
      .thenRefused('invite.other_address'));
  it('for a domain is for the verified addresses in it, as long as it is the team’s own', () => {
    const forDomain = inviteCreated({ form: 'domain', domain: 'acme.test' });
    const asked = given(team, ...workplaceTeam, verified, forDomain);
    asked.when(accept({ address: 'eve@ACME.test' })).then(accepted(), joined());
    for (const address of ['eve@mail.acme.test', 'eve@xacme.test', 'acme.test@example.test', null])
      asked.when(accept({ address })).thenRefused('invite.other_address');
    given(team, ...workplaceTeam, verified, forDomain, { type: 'DomainCleared', teamId, clearedAt: at })
      .when(accept({ address: 'eve@acme.test' }))
      .thenRefused('invite.other_address');
  });
  it('works once for an address, and for one person after the other by a link', () => {
    given(team, ...workplaceTeam, forEve, accepted(), joined())
      .when(accept({ address: 'eve@example.test' }))
      .thenRefused('invite.used');
    const link = given(team, ...workplaceTeam, inviteCreated(), accepted(), joined());
    link.when(accept()).thenRefused('member.exists');
    link.when(accept({ accountId: 'usr_other' })).then(accepted('usr_other'), joined('usr_other'));
  });
  it.each<[InviteForm, Accepting['address']]>([
    ['open', null],
    ['email', 'eve@example.test'],
  ])('(%s) is refused once it was revoked, and from the moment on that it expires', (form, address) => {
    const invite = inviteCreated({ form, email: address });
    given(team, ...workplaceTeam, invite, revoked)
      .when(accept({ address }))
      .thenRefused('invite.revoked');
    const asked = given(team, ...workplaceTeam, invite);
    asked.when(accept({ address, at: '2026-11-27T09:00:00.000Z' })).thenRefused('invite.expired');
    const before = '2026-11-27T08:59:59.999Z';
    asked
      .when(accept({ address, at: before }))
      .then({ ...accepted(), acceptedAt: before }, { ...joined(), joinedAt: before });
  });
  it('refuses a person that was removed since it was created', () => {
    const removed: TeamEvent = {
      type: 'MemberRemoved',
      teamId,
      accountId: 'usr_member',
      removedBy: 'usr_owner',
      removedAt: at,
    };
    const forDomain = inviteCreated({ form: 'domain', domain: 'acme.test' });
    const address = 'eve@acme.test';
    for (const invite of [forDomain, inviteCreated({ form: 'email', email: address })]) {
      const asked = given(team, ...workplaceTeam, verified, invite, removed);
      asked.when(accept({ accountId: 'usr_member', address })).thenRefused('invite.revoked');
      asked.when(accept({ address })).then(accepted(), joined());
    }
    given(team, ...workplaceTeam, verified, removed, forDomain)
      .when(accept({ accountId: 'usr_member', address }))
      .then(accepted('usr_member'), joined('usr_member'));
  });
  it('accepts a person that left voluntarily', () =>
    given(team, ...workplaceTeam, inviteCreated(), {
      type: 'MemberLeft',
      teamId,
      accountId: 'usr_member',
      leftAt: at,
    })
      .when(accept({ accountId: 'usr_member' }))
      .then(accepted('usr_member'), joined('usr_member')));
  it('is refused with the team, and for what was forgotten', () => {
    given(team, ...workplaceTeam, inviteCreated(), { type: 'TeamDeleted', teamId, deletedAt: at })
      .when(accept())
      .thenRefused('invite.revoked');
    const later = '2027-06-01T00:00:00.000Z';
    given(team, ...workplaceTeam, inviteCreated(), inviteCreated({ inviteId: 'inv_2', createdAt: later }))
      .when(accept({ at: later }))
      .thenRefused('invite.unknown');
  });
});

describe('a seat in a family', () => {
  const forAddress = (n: number) =>
    inviteCreated({ inviteId: `inv_${n}`, form: 'email', email: `person${n}@example.test` });

  it('is reserved for a person invited by address', () => {
    const full = given(team, ...family, inviteCreated(), forAddress(2), forAddress(3));
    full.when(accept()).thenRefused('family.capacity_exceeded', { limit: 4 });
    full
      .when(accept({ inviteId: 'inv_2', address: 'person2@example.test' }))
      .then({ ...accepted(), inviteId: 'inv_2' }, joined());
  });
  it('is there for others when such an invite is over', () =>
    given(team, ...family, inviteCreated(), forAddress(2), forAddress(3), { ...revoked, inviteId: 'inv_2' })
      .when(accept())
      .then(accepted(), joined()));
  it('is for four people', () =>
    given(team, ...family, inviteCreated(), joined('usr_3'), joined('usr_4'))
      .when(accept())
      .thenRefused('family.capacity_exceeded', { limit: 4 }));
});

describe('a seat in a workplace team', () => {
  it('is for 500 people, regardless of open invites', () => {
    const people = Array.from({ length: 496 }, (_, n) => joined(`usr_${n}`));
    given(team, ...workplaceTeam, inviteCreated(), ...people.slice(1))
      .when(accept())
      .then(accepted(), joined());
    given(team, ...workplaceTeam, inviteCreated(), ...people)
      .when(accept())
      .thenRefused('team.seat_limit_reached', { limit: 500 });
  });
});
