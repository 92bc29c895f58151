import type { TeamEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { insistOn, type TeamState } from '../../team/team';
import { foundGroup, type GroupAsked } from './found-group';

/** Deletes the group. Deleting it again is refused as for an unknown group. */
export const deleteOncallGroup: Decision<TeamState, TeamEvent, GroupAsked & { readonly at: Instant }> =
  ({ at, ...asked }) =>
  (state) => {
    insistOn(foundGroup(state, asked).role, 'admin');
    return [{ type: 'OncallGroupDeleted', teamId: asked.teamId, groupId: asked.groupId, deletedAt: at }];
  };
