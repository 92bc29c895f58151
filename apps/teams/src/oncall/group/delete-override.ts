import type { TeamEvent } from '@carillon/contracts';
import { type Decision, type Instant, isAfter, Refused } from '@carillon/eventing';
import { insistOn, type TeamState } from '../../team/team';
import { foundGroup, type GroupAsked } from './found-group';

interface OverrideDeletion extends GroupAsked {
  readonly overrideId: string;
  readonly at: Instant;
}

/** For admins and the member it names. A current override ends now; an override that is over counts as unknown. */
export const deleteOverride: Decision<TeamState, TeamEvent, OverrideDeletion> =
  ({ overrideId, at, ...asked }) =>
  (state) => {
    const { role, group } = foundGroup(state, asked);
    const override = group.overrides.find(
      (each) => each.overrideId === overrideId && isAfter(each.endsAt, at),
    );
    if (!override) throw new Refused('override.unknown');
    const { accountId } = override;
    if (accountId !== asked.accountId) insistOn(role, 'admin');
    const { teamId, groupId } = asked;
    return [{ type: 'OverrideDeleted', teamId, groupId, overrideId, accountId, deletedAt: at }];
  };
