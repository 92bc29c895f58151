import type { InviteForm, TeamEvent } from '@carillon/contracts';
import { type Decision, plus, Refused } from '@carillon/eventing';
import { openInvites } from '../invites';
import { insistOnSeat } from '../seats';
import { type TeamRequest, asMember, insistOn, insistOnWorkplace, memberOf, type TeamState } from '../team';

const lifetimeMs = 7 * 24 * 60 * 60 * 1000;
const maxOpen = 100;

export interface Inviting extends TeamRequest {
  readonly inviteId: string;
  readonly role: 'admin' | 'member';
  readonly email: string | null;
  readonly domain: string | null;
  readonly codeHash: string;
  /** The member with this address, if any. */
  readonly inviteeId: string | null;
}

/** For admins and the owner; only the owner invites admins. Requires a free seat for the invited person. */
export const createInvite: Decision<TeamState, TeamEvent, Inviting> =
  ({ inviteId, role, email, domain, codeHash, inviteeId, ...asked }) =>
  (state) => {
    const { team, role: held } = asMember(state, asked);
    if (role === 'admin') insistOnWorkplace(team);
    insistOn(held, role === 'admin' ? 'owner' : 'admin');
    if (team.invites.some((invite) => invite.inviteId === inviteId)) return [];
    if (domain !== null && domain !== team.domain.verified) throw new Refused('domain.not_verified');
    if (inviteeId !== null && memberOf(team, inviteeId)) throw new Refused('member.exists');
    insistOnSeat(team, asked.at);
    if (openInvites(team.invites, asked.at).length >= maxOpen)
      throw new Refused('resource.limit_reached', { limit: maxOpen });
    const { teamId, accountId: invitedBy, at } = asked;
    const made = { inviteId, invitedBy, form: formOf({ email, domain }), email, domain, role, codeHash };
    const expiresAt = plus(at, lifetimeMs);
    return [{ type: 'InviteCreated', teamId, ...made, createdAt: at, expiresAt }];
  };

const formOf = ({ email, domain }: Pick<Inviting, 'email' | 'domain'>): InviteForm =>
  email !== null ? 'email' : domain !== null ? 'domain' : 'open';
