import type { InviteRevoked, TeamEvent } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { type Invite, openInvites } from '../invites';
import { emptiedBy } from '../oncall';
import { type TeamRequest, asMember, insistOn, type Team, type TeamState } from '../team';
import { insistOnMember } from './insist-on-member';

/** Leaves the team. Leaving again is refused as for an unknown team. */
export const leave: Decision<TeamState, TeamEvent, TeamRequest> = (asked) => (state) => {
  const { team, role } = asMember(state, asked);
  if (role === 'owner') throw new Refused('team.owner_must_transfer');
  const { teamId, accountId, at } = asked;
  return [
    { type: 'MemberLeft', teamId, accountId, leftAt: at },
    ...emptiedBy(team, accountId, at),
    ...revoked(team, at, (invite) => invite.invitedBy === accountId),
  ];
};

export interface Removal extends TeamRequest {
  readonly memberId: string;
}

/** For admins and the owner. Removing oneself is leaving. Only the owner removes admins; nobody removes the owner. */
export const remove: Decision<TeamState, TeamEvent, Removal> =
  ({ memberId, ...asked }) =>
  (state) => {
    if (memberId === asked.accountId) return leave(asked)(state);
    const { team, role: held } = asMember(state, asked);
    const { role } = insistOnMember(team, memberId);
    insistOn(held, 'admin');
    if (role === 'owner') throw new Refused('team.owner_cannot_be_removed');
    if (role === 'admin') insistOn(held, 'owner');
    const { teamId, accountId, at } = asked;
    return [
      { type: 'MemberRemoved', teamId, accountId: memberId, removedBy: accountId, removedAt: at },
      ...emptiedBy(team, memberId, at),
      // A link works for any account, so a removed person who still has it could come back with another account.
      ...revoked(team, at, ({ invitedBy, form }) => invitedBy === memberId || form === 'open'),
    ];
  };

const revoked = (team: Team, at: Instant, which: (invite: Invite) => boolean): InviteRevoked[] =>
  openInvites(team.invites, at)
    .filter(which)
    .map(({ inviteId }) => ({ type: 'InviteRevoked', teamId: team.teamId, inviteId, revokedAt: at }));
