import type { PageEvent } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { existing, namesOf, type PageState } from './page';

export interface Acknowledging {
  readonly by: string;
  readonly at: Instant;
}

/** Acknowledges the page. The first acknowledgement is kept. */
export const acknowledge: Decision<PageState, PageEvent, Acknowledging> =
  ({ by, at }) =>
  (state) => {
    const found = existing(state);
    if (found.status === 'resolved') throw new Refused('page.already_resolved');
    if (found.status === 'acknowledged') return [];
    return [
      { type: 'PageAcknowledged', ...namesOf(found), by, notified: found.notified, acknowledgedAt: at },
    ];
  };
