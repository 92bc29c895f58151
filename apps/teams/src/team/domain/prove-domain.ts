import type { TeamEvent } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import type { Pending } from '../domain';
import { insistOnOwnMailboxes } from './domain-name';
import { type TeamRequest, asMember, insistOn, insistOnWorkplace, type Team, type TeamState } from '../team';

/** Returns the team to its owner. Families are refused, since they have no domain. */
function ofOwner(state: TeamState, asked: TeamRequest): Team {
  const { team, role } = asMember(state, asked);
  insistOnWorkplace(team);
  insistOn(role, 'owner');
  return team;
}

/** Sets the pending domain. The same domain keeps its token, so that an already published record stays valid. */
export const setDomain: Decision<TeamState, TeamEvent, TeamRequest & Pending> =
  ({ domain, token, ...asked }) =>
  (state) => {
    const { pending } = ofOwner(state, asked).domain;
    insistOnOwnMailboxes(domain);
    return pending?.domain === domain
      ? []
      : [{ type: 'DomainSet', teamId: asked.teamId, domain, token, setAt: asked.at }];
  };

export const clearDomain: Decision<TeamState, TeamEvent, TeamRequest> = (asked) => (state) => {
  const { verified, pending } = ofOwner(state, asked).domain;
  return verified === null && pending === null
    ? []
    : [{ type: 'DomainCleared', teamId: asked.teamId, clearedAt: asked.at }];
};

/** What is to be proved. Refused `domain.not_pending` when there is nothing. */
export function toProve(
  state: TeamState,
  asked: TeamRequest,
): { readonly team: Team; readonly pending: Pending } {
  const team = ofOwner(state, asked);
  if (!team.domain.pending) throw new Refused('domain.not_pending');
  return { team, pending: team.domain.pending };
}

/** Marks the domain as verified after its challenge was found, unless another domain was set meanwhile. */
export const proveDomain: Decision<TeamState, TeamEvent, TeamRequest & Pending> =
  ({ domain, token, ...asked }) =>
  (state) => {
    const { verified, pending } = ofOwner(state, asked).domain;
    if (pending?.token === token && pending.domain === domain)
      return [{ type: 'DomainVerified', teamId: asked.teamId, domain, verifiedAt: asked.at }];
    if (verified === domain && !pending) return [];
    throw new Refused('domain.not_pending');
  };
