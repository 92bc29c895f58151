import type { PageEvent, PageTriggered } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { notify } from './notify';
import { isOpen, namesOf, type PageState } from './page';
import type { Roster } from './roster';

export interface Triggering extends Omit<PageTriggered, 'type' | 'triggeredAt'> {
  readonly roster: Roster;
  readonly at: Instant;
}

/** Creates the page. An open page absorbs the request, a resolved one stays as it is. */
export const trigger: Decision<PageState, PageEvent, Triggering> =
  ({ roster, at, ...asked }) =>
  (state) => {
    if (!state)
      return [
        { type: 'PageTriggered', ...asked, triggeredAt: at },
        ...notify({ ...asked, notified: [] }, { step: 0, roster, at }),
      ];
    const { byAccountId, tokenId, requestId } = asked;
    if (!isOpen(state) || state.requests.includes(requestId)) return [];
    return [{ type: 'PageRepeated', ...namesOf(state), byAccountId, tokenId, requestId, repeatedAt: at }];
  };
