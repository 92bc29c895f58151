import type { MemberJoined, TeamEvent } from '@carillon/contracts';
import { given, inviteCreated, workplaceTeam } from '@carillon/testkit';
import { acceptInvite } from '../invite/accept-invite';
import { team } from '../team';
import { joinByDomain } from './join-by-domain';

const at = '2026-11-20T10:00:00.000Z';
const teamId = 'team_1';

const join = (domain = 'acme.test') => joinByDomain({ teamId, accountId: 'usr_new', domain, at });
const joined: MemberJoined = {
  type: 'MemberJoined',
  teamId,
  accountId: 'usr_new',
  role: 'member',
  by: 'domain',
  joinedAt: at,
};
const opened: readonly TeamEvent[] = [
  ...workplaceTeam,
  { type: 'DomainVerified', teamId, domain: 'acme.test', verifiedAt: at },
  { type: 'TeamChanged', teamId, autoJoinVerifiedDomain: true, changedAt: at },
];
const gone: readonly TeamEvent[] = [
  { type: 'MemberLeft', teamId, accountId: 'usr_new', leftAt: at },
  { type: 'MemberRemoved', teamId, accountId: 'usr_new', removedBy: 'usr_owner', removedAt: at },
];

describe('joining by the domain of an address', () => {
  it('makes a member', () =>
    given(team, ...opened)
      .when(join())
      .then(joined));
  it('happens once', () =>
    given(team, ...opened, joined)
      .when(join())
      .thenNothing());
  it('is for the verified domain, where the team has switched it on', () => {
    given(team, ...opened)
      .when(join('mail.acme.test'))
      .thenNothing();
    given(team, ...opened, { type: 'TeamChanged', teamId, autoJoinVerifiedDomain: false, changedAt: at })
      .when(join())
      .thenNothing();
    given(team, ...opened, { type: 'DomainCleared', teamId, clearedAt: at })
      .when(join())
      .thenNothing();
    given(team, ...opened, { type: 'TeamDeleted', teamId, deletedAt: at })
      .when(join())
      .thenNothing();
  });
  it('is not for accounts that left or were removed, until they come back by an invite', () => {
    for (const departure of gone) {
      const asked = given(team, ...opened, joined, departure, inviteCreated());
      asked.when(join()).thenNothing();
      asked
        .when(acceptInvite({ teamId, accountId: 'usr_new', inviteId: 'inv_1', address: null, at }))
        .then(
          { type: 'InviteAccepted', teamId, inviteId: 'inv_1', accountId: 'usr_new', acceptedAt: at },
          { ...joined, by: 'invite' },
        );
    }
  });
  it('takes the 500th seat and no other', () => {
    const people = Array.from({ length: 496 }, (_, n): TeamEvent => ({
      ...joined,
      accountId: `usr_${n}`,
      by: 'invite',
    }));
    given(team, ...opened, ...people.slice(1))
      .when(join())
      .then(joined);
    given(team, ...opened, ...people)
      .when(join())
      .thenNothing();
  });
});
