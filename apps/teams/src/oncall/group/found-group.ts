import type { TeamRole } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import type { OncallGroup } from '../../team/oncall';
import { asMember, memberOf, type Team, type TeamState } from '../../team/team';

/** The caller, and the requested on-call group. */
export interface GroupAsked {
  readonly teamId: string;
  readonly groupId: string;
  readonly accountId: string;
}

/** An on-call group with its team, and the caller's role in the team. */
export interface FoundGroup {
  readonly team: Team;
  readonly role: TeamRole;
  readonly group: OncallGroup;
}

/** Refused `oncall_group.unknown` when the group does not exist or the caller is not in its team. */
export function foundGroup(state: TeamState, { teamId, groupId, accountId }: GroupAsked): FoundGroup {
  const group = state?.oncall.find((each) => each.groupId === groupId);
  if (!state || !group || !memberOf(state, accountId)) throw new Refused('oncall_group.unknown');
  return { ...asMember(state, { teamId, accountId }), group };
}
