import type { TeamEvent } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import { type Invite, inviteStateAt } from '../invites';
import { insistOnSeat } from '../seats';
import { type TeamRequest, memberOf, type Team, type TeamState } from '../team';
import { domainOf, sameAddress } from '../../person/address';

export interface Accepting extends TeamRequest {
  readonly inviteId: string;
  /** The verified address of the accepting account; null without one. */
  readonly address: string | null;
}

/** Adds the accepting account as a member; an invite for one address is used up. */
export const acceptInvite: Decision<TeamState, TeamEvent, Accepting> =
  ({ inviteId, address, ...asked }) =>
  (state) => {
    const { teamId, accountId, at } = asked;
    const { team, invite } = insistOnOpen(state, { ...asked, inviteId });
    if (!fits(invite, team, address)) throw new Refused('invite.other_address');
    if (memberOf(team, accountId)) throw new Refused('member.exists');
    insistOnSeat(team, at, inviteId);
    return [
      { type: 'InviteAccepted', teamId, inviteId, accountId, acceptedAt: at },
      { type: 'MemberJoined', teamId, accountId, role: invite.role, by: 'invite', joinedAt: at },
    ];
  };

/** The account that reads or accepts an invite; null for a person without an account. */
interface Invited extends Pick<Accepting, 'teamId' | 'inviteId' | 'at'> {
  readonly accountId: string | null;
}

/**
 * The invite and its team. Refused `invite.used`, `invite.revoked` (also for accounts removed from the team since the
 * invite was created), `invite.expired`, or `invite.unknown` once the invite is forgotten.
 */
export function insistOnOpen(
  state: TeamState,
  { teamId, inviteId, accountId, at }: Invited,
): { readonly team: Team; readonly invite: Invite } {
  // Deleting a team revokes its invites.
  if (state?.teamId !== teamId) throw new Refused('invite.revoked');
  const invite = state.invites.find((each) => each.inviteId === inviteId);
  if (!invite) throw new Refused('invite.unknown');
  const found = inviteStateAt(invite, at);
  if (found !== 'open') throw new Refused(found === 'accepted' ? 'invite.used' : `invite.${found}`);
  if (accountId !== null && invite.removed.includes(accountId)) throw new Refused('invite.revoked');
  return { team: state, invite };
}

/** Whether the invite is for this verified address. A domain invite requires that the domain is still the team's. */
export function fits(invite: Invite, team: Pick<Team, 'domain'>, address: string | null): boolean {
  switch (invite.form) {
    case 'open':
      return true;
    case 'email':
      return address !== null && invite.email !== null && sameAddress(address, invite.email);
    case 'domain':
      return (
        address !== null && invite.domain === team.domain.verified && domainOf(address) === invite.domain
      );
  }
}
