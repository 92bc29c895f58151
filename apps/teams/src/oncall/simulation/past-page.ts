import type { PageEvent } from '@carillon/contracts';
import { type Instant, isBefore } from '@carillon/eventing';

/** A notification of one person's phones. */
export interface Ring {
  readonly accountId: string;
  readonly at: Instant;
}

/** The history of a page, as far as it does not depend on the schedule. */
export interface PastPage {
  readonly pageId: string;
  readonly triggeredAt: Instant;
  /** When the page was acknowledged or resolved, which stopped the escalation. */
  readonly stoppedAt: Instant | null;
  readonly rings: readonly Ring[];
  /** When a step ran before its time: somebody escalated it by hand, nobody was reached, or the last one had left. */
  readonly handedOnAt: readonly Instant[];
  /** When steps ran by their time, which is never quite the moment that they were due. */
  readonly ranAt: readonly Instant[];
  /** When the next step was due, as the newest one said. */
  readonly dueAt: Instant | null;
  /** The recipients of a step that had no device then. */
  readonly unreachable: ReadonlySet<string>;
}

/** Null of what was never triggered. Events may come in parts, each behind what those before it have told. */
export function pastPage(events: readonly PageEvent[], before: PastPage | null = null): PastPage | null {
  let past = before;
  for (const event of events)
    if (event.type === 'PageTriggered') past = begun(event);
    else if (event.type === 'PageForgotten') past = null;
    else past &&= later(past, event);
  return past;
}

const begun = ({ pageId, triggeredAt }: Extract<PageEvent, { type: 'PageTriggered' }>): PastPage => ({
  pageId,
  triggeredAt,
  stoppedAt: null,
  rings: [],
  handedOnAt: [],
  ranAt: [],
  dueAt: null,
  unreachable: new Set(),
});

function later(
  past: PastPage,
  event: Exclude<PageEvent, { type: 'PageTriggered' | 'PageForgotten' }>,
): PastPage {
  switch (event.type) {
    case 'PageNotified': {
      const { people, notifiedAt: at, by } = event;
      const isAhead = by !== null || (past.dueAt !== null && isBefore(at, past.dueAt));
      const rung = people.filter(({ deviceIds }) => deviceIds.length > 0);
      const missed = people.filter(({ deviceIds }) => deviceIds.length === 0);
      return {
        ...past,
        rings: [...past.rings, ...rung.map(({ accountId }) => ({ accountId, at }))],
        handedOnAt: isAhead ? [...past.handedOnAt, at] : past.handedOnAt,
        ranAt: isAhead ? past.ranAt : [...past.ranAt, at],
        dueAt: event.nextEscalationAt,
        unreachable: new Set([...past.unreachable, ...missed.map(({ accountId }) => accountId)]),
      };
    }
    case 'PageAcknowledged':
      return { ...past, stoppedAt: past.stoppedAt ?? event.acknowledgedAt };
    case 'PageResolved':
      return { ...past, stoppedAt: past.stoppedAt ?? event.resolvedAt };
    case 'PageRepeated':
    case 'PageWithdrawn':
      return past;
  }
}
