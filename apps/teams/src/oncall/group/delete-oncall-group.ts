import type { TeamEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { insistOn, type TeamState } from '../../team/team';
import { foundGroup, type GroupAsked } from './found-group';

/** The second time there is no such group. */
export const deleteOncallGroup: Decision<TeamState, TeamEvent, GroupAsked & { readonly at: Instant }> =
  ({ at, ...asked }) =>
  (state) => {
    insistOn(foundGroup(state, asked).role, 'admin');
    return [{ type: 'OncallGroupDeleted', teamId: asked.teamId, groupId: asked.groupId, deletedAt: at }];
  };
