import type { TeamEvent } from '@carillon/contracts';
import type { Decision } from '@carillon/eventing';
import { seatsOf } from '../seats';
import { type TeamRequest, memberOf, type TeamState } from '../team';

/**
 * Makes somebody a member whose verified address is in the verified domain, where the team wants that and has a seat.
 * Who left or was removed does not come back by this: else nobody could.
 */
export const joinByDomain: Decision<TeamState, TeamEvent, TeamRequest & { readonly domain: string }> =
  ({ teamId, accountId, domain, at }) =>
  (state) => {
    if (state?.teamId !== teamId || !state.autoJoinVerifiedDomain || state.domain.verified !== domain)
      return [];
    if (memberOf(state, accountId) || state.departed.includes(accountId)) return [];
    if (state.members.length >= seatsOf(state)) return [];
    return [{ type: 'MemberJoined', teamId, accountId, role: 'member', by: 'domain', joinedAt: at }];
  };
