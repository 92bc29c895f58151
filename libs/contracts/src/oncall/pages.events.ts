import type { Instant } from '@carillon/eventing';
import type { EscalationStep, EscalationTarget } from './oncall.contracts';
import type { PageSource } from './pages.contracts';

/** Stream `page-<tail of the id>`; sealed with the key of its team. */
export type PageEvent =
  | PageTriggered
  | PageNotified
  | PageRepeated
  | PageAcknowledged
  | PageWithdrawn
  | PageResolved
  | PageForgotten;

/** Identifies the page. */
interface OfPage {
  readonly pageId: string;
  readonly groupId: string;
  readonly teamId: string;
}

/** Followed by the first `PageNotified` in the same append. */
export interface PageTriggered extends OfPage {
  readonly type: 'PageTriggered';
  readonly groupName: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly url: string | null;
  readonly appId: string | null;
  readonly dedupKey: string | null;
  readonly source: PageSource;
  /** The group's escalation at that time. Changes only affect later pages. */
  readonly escalation: readonly EscalationStep[];
  /** Null if a service raised the page by itself. */
  readonly byAccountId: string | null;
  readonly tokenId: string | null;
  /** The id of the command that created the page, so that a repetition does not create another. */
  readonly requestId: string;
  readonly triggeredAt: Instant;
}

/** A recipient of a step of a page. */
export interface PagedPerson {
  readonly accountId: string;
  /** The id of the push to this person's devices. */
  readonly pushId: string;
  /** Empty if the person had no device then. */
  readonly deviceIds: readonly string[];
}

/**
 * A step of the page ran; step 0 notifies the member on call. A step without devices is followed by the next at once.
 */
export interface PageNotified extends OfPage {
  readonly type: 'PageNotified';
  readonly step: number;
  /** The account that escalated by hand; null if the step was due, or the previous step reached nobody. */
  readonly by: string | null;
  readonly target: 'current' | EscalationTarget;
  readonly people: readonly PagedPerson[];
  /** The group name that phones show. */
  readonly groupName: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly url: string | null;
  /** The web app that a tap opens, if the page has one. */
  readonly appId?: string;
  /** The id of the command that escalated the page by hand. */
  readonly requestId?: string;
  readonly notifiedAt: Instant;
  /** When the next step runs unless the page is acknowledged; null if there is no next step. */
  readonly nextEscalationAt: Instant | null;
}

/** The open page absorbed another request with its key. */
export interface PageRepeated extends OfPage {
  readonly type: 'PageRepeated';
  readonly byAccountId: string | null;
  readonly tokenId: string | null;
  readonly requestId: string;
  readonly repeatedAt: Instant;
}

/** The escalation stops, and the page is cleared from all other phones. */
export interface PageAcknowledged extends OfPage {
  readonly type: 'PageAcknowledged';
  readonly by: string;
  /** Everybody it has gone to. */
  readonly notified: readonly string[];
  readonly acknowledgedAt: Instant;
}

/** A notified account left the team. The page is cleared from its phones. */
export interface PageWithdrawn extends OfPage {
  readonly type: 'PageWithdrawn';
  readonly accountId: string;
  readonly withdrawnAt: Instant;
}

/** The page is over, and is cleared from all phones. */
export interface PageResolved extends OfPage {
  readonly type: 'PageResolved';
  /** Null if no person resolved it: its cause is over, or its group or team was deleted. */
  readonly by: string | null;
  readonly tokenId: string | null;
  readonly reason: 'person' | 'recovery' | 'group_deleted' | 'team_deleted';
  readonly note: string | null;
  /** Everybody it has gone to. */
  readonly notified: readonly string[];
  readonly resolvedAt: Instant;
}

/** The team's retention ended for the closed page. The stream is truncated before this event. */
export interface PageForgotten extends OfPage {
  readonly type: 'PageForgotten';
  readonly forgottenAt: Instant;
}

/** Stream `page_key-<hash of the group and the key>`: the page that the key refers to. */
export interface PageKeyClaimed {
  readonly type: 'PageKeyClaimed';
  readonly groupId: string;
  readonly pageId: string;
  readonly claimedAt: Instant;
}
