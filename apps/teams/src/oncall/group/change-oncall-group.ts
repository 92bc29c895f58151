import type { ChangedRotation, EscalationStep, OncallGroupChanged, TeamEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { isDeepStrictEqual } from 'node:util';
import { insistOnMembers } from '../../team/naming';
import type { OncallGroup } from '../../team/oncall';
import { insistOn, type TeamState } from '../../team/team';
import { insistOnFreeName } from './create-oncall-group';
import { foundGroup, type GroupAsked } from './found-group';
import { changedRotation } from './kept-rotation';

interface OncallGroupChanges {
  readonly name?: string;
  readonly rotation?: ChangedRotation;
  readonly escalation?: readonly EscalationStep[];
  readonly handoffNotices?: boolean;
}

interface OncallGroupChange extends GroupAsked {
  readonly changes: OncallGroupChanges;
  readonly at: Instant;
}

/** Applies all of the changes, or none. Unchanged fields cause no event. */
export const changeOncallGroup: Decision<TeamState, TeamEvent, OncallGroupChange> =
  ({ changes, at, ...asked }) =>
  (state) => {
    const { team, role, group } = foundGroup(state, asked);
    insistOn(role, 'admin');
    const { name, rotation: given, escalation, handoffNotices } = changes;
    const rotation = given && changedRotation(group.rotation, given, at);
    if (given?.userIds) insistOnMembers(team, given.userIds);
    if (name !== undefined) insistOnFreeName(team, name, group.groupId);
    const changed = differing(group, { name, rotation, escalation, handoffNotices });
    const { teamId, groupId } = asked;
    return Object.keys(changed).length === 0
      ? []
      : [{ type: 'OncallGroupChanged', teamId, groupId, ...changed, changedAt: at }];
  };

type Changed = Pick<OncallGroupChanged, 'name' | 'rotation' | 'escalation' | 'handoffNotices'>;

/** The requested fields that differ from those of the group. */
const differing = (
  group: OncallGroup,
  {
    name,
    rotation,
    escalation,
    handoffNotices,
  }: { readonly [Field in keyof Changed]: Changed[Field] | undefined },
): Changed => ({
  ...(name !== undefined && name !== group.name && { name }),
  ...(rotation && !isDeepStrictEqual(rotation, group.rotation) && { rotation }),
  ...(escalation && !isDeepStrictEqual(escalation, group.escalation) && { escalation }),
  ...(handoffNotices !== undefined && handoffNotices !== group.handoffNotices && { handoffNotices }),
});
