import type { TeamEvent } from '@carillon/contracts';
import type { Decision } from '@carillon/eventing';
import { type TeamRequest, asMember, insistOn, type TeamState } from './team';

/** For the owner. There is nothing to delete the second time: who asks again is told so. */
export const deleteTeam: Decision<TeamState, TeamEvent, TeamRequest> = (asked) => (state) => {
  insistOn(asMember(state, asked).role, 'owner');
  return [{ type: 'TeamDeleted', teamId: asked.teamId, deletedAt: asked.at }];
};
