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
 * Takes the page off the phones of an account that left the team. When no notified member is left, the next step runs
 * at once, or if there is none, all of the group is notified.
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
