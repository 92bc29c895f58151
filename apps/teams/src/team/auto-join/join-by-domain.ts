import type { TeamEvent } from '@carillon/contracts';
import type { Decision } from '@carillon/eventing';
import { seatsOf } from '../seats';
import { type TeamRequest, memberOf, type TeamState } from '../team';

/**
 * Adds an account with a verified address in the team's verified domain, if auto-join is on and a seat is free.
 * Accounts that left or were removed are not added again: otherwise leaving would have no lasting effect.
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
