import type { PageEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { notify } from './notify';
import { isOpen, namesOf, type PageState } from './page';
import type { Roster } from './roster';

export interface Leaving {
  readonly accountId: string;
  readonly roster: Roster;
  readonly at: Instant;
}

/**
 * Takes it off the phones of somebody who has left the team. When nobody else has it, the others are called now: by the
 * next step, or all of the group where no step is left.
 */
export const takeFromLeaver: Decision<PageState, PageEvent, Leaving> =
  ({ accountId, roster, at }) =>
  (state) => {
    if (!isOpen(state) || !state.notified.includes(accountId) || state.withdrawn.includes(accountId))
      return [];
    const withdrawn: PageEvent = {
      type: 'PageWithdrawn',
      ...namesOf(state),
      accountId,
      withdrawnAt: at,
    };
    const gone = [...state.withdrawn, accountId];
    const isLost = state.notified.every((each) => gone.includes(each));
    const isLastStep = state.step >= state.escalation.length;
    if (!isLost || state.status !== 'triggered' || (isLastStep && roster.members.length === 0))
      return [withdrawn];
    return [withdrawn, ...notify(state, { step: state.step + 1, roster, at })];
  };
