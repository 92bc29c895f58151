import type { TeamRole } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import type { OncallGroup } from '../../team/oncall';
import { asMember, memberOf, type Team, type TeamState } from '../../team/team';

/** Who asks, of which on-call group. */
export interface GroupAsked {
  readonly teamId: string;
  readonly groupId: string;
  readonly accountId: string;
}

/** An on-call group in its team, and what who asks is there. */
export interface FoundGroup {
  readonly team: Team;
  readonly role: TeamRole;
  readonly group: OncallGroup;
}

/** Refused `oncall_group.unknown` when there is no such group, or to somebody who is not in its team. */
export function foundGroup(state: TeamState, { teamId, groupId, accountId }: GroupAsked): FoundGroup {
  const group = state?.oncall.find((each) => each.groupId === groupId);
  if (!state || !group || !memberOf(state, accountId)) throw new Refused('oncall_group.unknown');
  return { ...asMember(state, { teamId, accountId }), group };
}
