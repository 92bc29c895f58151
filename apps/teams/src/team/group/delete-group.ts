import type { TeamEvent } from '@carillon/contracts';
import type { Decision } from '@carillon/eventing';
import { type TeamRequest, asMember, insistOn, type TeamState } from '../team';
import { groupOf } from './naming';

/** Deletes the group. Its people and devices stay in the team. */
export const deleteGroup: Decision<TeamState, TeamEvent, TeamRequest & { readonly groupId: string }> =
  ({ groupId, ...asked }) =>
  (state) => {
    const { team, role } = asMember(state, asked);
    const { name } = groupOf(team, groupId);
    insistOn(role, 'admin');
    return [{ type: 'DeviceGroupDeleted', teamId: asked.teamId, groupId, name, deletedAt: asked.at }];
  };
