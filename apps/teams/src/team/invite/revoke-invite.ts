import type { TeamEvent } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import { type TeamRequest, asMember, insistOn, type TeamState } from '../team';

/** For admins and the owner, also when another member created the invite. */
export const revokeInvite: Decision<TeamState, TeamEvent, TeamRequest & { readonly inviteId: string }> =
  ({ inviteId, ...asked }) =>
  (state) => {
    const { team, role } = asMember(state, asked);
    insistOn(role, 'admin');
    const invite = team.invites.find((each) => each.inviteId === inviteId);
    if (!invite) throw new Refused('invite.unknown');
    if (invite.acceptedAt !== null) throw new Refused('invite.already_accepted');
    if (invite.revokedAt !== null) return [];
    return [{ type: 'InviteRevoked', teamId: asked.teamId, inviteId, revokedAt: asked.at }];
  };
