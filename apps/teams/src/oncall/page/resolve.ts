import type { PageEvent, PageResolved } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { existing, namesOf, type PageState } from './page';

export interface Resolving extends Pick<PageResolved, 'by' | 'tokenId' | 'reason' | 'note'> {
  readonly at: Instant;
}

/** Resolves an open page. A resolved page stays as it is. */
export const resolve: Decision<PageState, PageEvent, Resolving> =
  ({ by, tokenId, reason, note, at }) =>
  (state) => {
    const found = existing(state);
    if (found.status === 'resolved') return [];
    return [
      {
        type: 'PageResolved',
        ...namesOf(found),
        by,
        tokenId,
        reason,
        note,
        notified: found.notified,
        resolvedAt: at,
      },
    ];
  };
