import type { TeamEvent } from '@carillon/contracts';
import type { Decision } from '@carillon/eventing';
import { type TeamRequest, asMember, insistOn, type TeamState } from './team';

/** Deletes the team, for its owner. Deleting it again is refused as for an unknown team. */
export const deleteTeam: Decision<TeamState, TeamEvent, TeamRequest> = (asked) => (state) => {
  insistOn(asMember(state, asked).role, 'owner');
  return [{ type: 'TeamDeleted', teamId: asked.teamId, deletedAt: asked.at }];
};
