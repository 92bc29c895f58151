import type {
  PageAcknowledged,
  PageNotified,
  PageResolved,
  PageStatus,
  PageTriggered,
} from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { namesOf } from './page';
import type { PageRef } from './page-steps.service';
import { alsoTo } from './roster';

export type RowEvent = PageTriggered | PageNotified | PageAcknowledged | PageResolved;

/** The effect of events on the row and the scheduled commands of a page. */
export interface PageRowChange extends PageRef {
  readonly status: PageStatus;
  /** The accounts that were notified. */
  readonly notified: readonly string[];
  /** Only used for a page without a row. */
  readonly createdAt: Instant;
  readonly resolvedAt: Instant | null;
  /** The newest step among the events; null if none, or if the page was acknowledged or resolved after it. */
  readonly step: Pick<PageNotified, 'step' | 'nextEscalationAt'> | null;
  /** The pushes of that step, whose outcome is not known yet. */
  readonly pushIds: readonly string[];
}

/** The changes by page, in the order of each page's first event. */
export function rowChanges(events: readonly RowEvent[]): PageRowChange[] {
  const changes = new Map<string, PageRowChange>();
  for (const event of events)
    changes.set(event.pageId, changed(changes.get(event.pageId) ?? begun(event), event));
  return [...changes.values()];
}

const begun = (event: RowEvent): PageRowChange => ({
  ...namesOf(event),
  status: 'triggered',
  notified: [],
  createdAt: timeOf(event),
  resolvedAt: null,
  step: null,
  pushIds: [],
});

function changed(change: PageRowChange, event: RowEvent): PageRowChange {
  switch (event.type) {
    case 'PageTriggered':
      return change;
    case 'PageNotified':
      return {
        ...change,
        notified: alsoTo(change.notified, event.people),
        step: { step: event.step, nextEscalationAt: event.nextEscalationAt },
        pushIds: event.people.flatMap(({ pushId, deviceIds }) => (deviceIds.length > 0 ? [pushId] : [])),
      };
    case 'PageAcknowledged':
      return { ...change, status: 'acknowledged', step: null, pushIds: [] };
    case 'PageResolved':
      return { ...change, status: 'resolved', resolvedAt: event.resolvedAt, step: null, pushIds: [] };
  }
}

function timeOf(event: RowEvent): Instant {
  switch (event.type) {
    case 'PageTriggered':
      return event.triggeredAt;
    case 'PageNotified':
      return event.notifiedAt;
    case 'PageAcknowledged':
      return event.acknowledgedAt;
    case 'PageResolved':
      return event.resolvedAt;
  }
}
