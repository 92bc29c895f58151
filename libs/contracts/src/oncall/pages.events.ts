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

/** Which page this is. */
interface OfPage {
  readonly pageId: string;
  readonly groupId: string;
  readonly teamId: string;
}

/** Its first `PageNotified` stands behind it in the same append. */
export interface PageTriggered extends OfPage {
  readonly type: 'PageTriggered';
  readonly groupName: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly url: string | null;
  readonly appId: string | null;
  readonly dedupKey: string | null;
  readonly source: PageSource;
  /** As the group had it then: what it is changed to is for later pages. */
  readonly escalation: readonly EscalationStep[];
  /** Null when a service has paged by itself. */
  readonly byAccountId: string | null;
  readonly tokenId: string | null;
  /** The command that made it: asked again, it is there once. */
  readonly requestId: string;
  readonly triggeredAt: Instant;
}

/** Somebody whom a step of a page goes to. */
export interface PagedPerson {
  readonly accountId: string;
  /** The id of the push to this person's devices. */
  readonly pushId: string;
  /** Empty when the person had no device then. */
  readonly deviceIds: readonly string[];
}

/** A step of the page has run: 0 goes to who is on call. One that reaches no device is followed by the next at once. */
export interface PageNotified extends OfPage {
  readonly type: 'PageNotified';
  readonly step: number;
  /** Who has escalated it by hand; null when its time had come, or nobody was reached by the step before. */
  readonly by: string | null;
  readonly target: 'current' | EscalationTarget;
  readonly people: readonly PagedPerson[];
  /** What phones show of it. */
  readonly groupName: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly url: string | null;
  /** The web app that a tap opens, where the page names one. */
  readonly appId?: string;
  /** The command of who has escalated it by hand. */
  readonly requestId?: string;
  readonly notifiedAt: Instant;
  /** When the next step runs unless somebody acknowledges it; null when there is none. */
  readonly nextEscalationAt: Instant | null;
}

/** Another page with its key came while it was open. */
export interface PageRepeated extends OfPage {
  readonly type: 'PageRepeated';
  readonly byAccountId: string | null;
  readonly tokenId: string | null;
  readonly requestId: string;
  readonly repeatedAt: Instant;
}

/** It goes no further, and leaves the phones of everybody else. */
export interface PageAcknowledged extends OfPage {
  readonly type: 'PageAcknowledged';
  readonly by: string;
  /** Everybody it has gone to. */
  readonly notified: readonly string[];
  readonly acknowledgedAt: Instant;
}

/** Somebody whom it went to has left the team: it leaves their phones. */
export interface PageWithdrawn extends OfPage {
  readonly type: 'PageWithdrawn';
  readonly accountId: string;
  readonly withdrawnAt: Instant;
}

/** It is over, and leaves all phones. */
export interface PageResolved extends OfPage {
  readonly type: 'PageResolved';
  /** Null when nobody has: what it was about is over, or is gone. */
  readonly by: string | null;
  readonly tokenId: string | null;
  readonly reason: 'person' | 'recovery' | 'group_deleted' | 'team_deleted';
  readonly note: string | null;
  /** Everybody it has gone to. */
  readonly notified: readonly string[];
  readonly resolvedAt: Instant;
}

/** It was closed for as long as its team keeps closed pages: what stands before it in the stream is cut off. */
export interface PageForgotten extends OfPage {
  readonly type: 'PageForgotten';
  readonly forgottenAt: Instant;
}

/** Stream `page_key-<hash of the group and the key>`: which page the key stands for. */
export interface PageKeyClaimed {
  readonly type: 'PageKeyClaimed';
  readonly groupId: string;
  readonly pageId: string;
  readonly claimedAt: Instant;
}
