import type { Instant } from '@carillon/eventing';
import type { BodyFormat } from '../notifications/notifications.contracts';
import type { WithRecipients } from '../recipients';
import type { HookLimit } from './services.contracts';

/** Stream `service-<tail of the id>`; written by the notifications service. */
export type ServiceEvent = ServiceCreated | ServiceChanged | ServiceShared | HookRotated | ServiceDeleted;

export interface ServiceCreated {
  readonly type: 'ServiceCreated';
  readonly serviceId: string;
  readonly accountId: string;
  readonly title: string | null;
  readonly imageUrl: string | null;
  readonly url: string | null;
  readonly defaultReplyWebhookId: string | null;
  readonly hookHash: string;
  readonly createdAt: Instant;
}

/** What is absent stayed as it was. Recipients, where it is shared, have it under its name too. */
export interface ServiceChanged extends WithRecipients {
  readonly type: 'ServiceChanged';
  readonly serviceId: string;
  readonly title?: string | null;
  readonly imageUrl?: string | null;
  readonly url?: string | null;
  readonly defaultReplyWebhookId?: string | null;
  readonly changedAt: Instant;
}

/** The family that sees it from now on; null for none. */
export interface ServiceShared {
  readonly type: 'ServiceShared';
  readonly serviceId: string;
  readonly accountId: string;
  readonly familyId: string | null;
  readonly sharedAt: Instant;
}

/** Its URL is another one; the former is dead. */
export interface HookRotated {
  readonly type: 'HookRotated';
  readonly serviceId: string;
  readonly accountId: string;
  readonly hookHash: string;
  readonly rotatedAt: Instant;
}

export interface ServiceDeleted {
  readonly type: 'ServiceDeleted';
  readonly serviceId: string;
  readonly accountId: string;
  readonly deletedAt: Instant;
}

/** Stream `event-<tail of the id>`: what came in through a service's URL. */
export interface EventReceived extends WithRecipients {
  readonly type: 'EventReceived';
  readonly eventId: string;
  readonly serviceId: string;
  /** As the service was called then. */
  readonly serviceTitle: string | null;
  readonly serviceImageUrl: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly bodyFormat: BodyFormat;
  readonly imageUrl: string | null;
  readonly url: string | null;
  readonly appId: string | null;
  /** The limit over which it came. Such an event is filed where events are listed, and goes nowhere else. */
  readonly limitedBy: HookLimit | null;
  /** The devices it goes to, those of recipients too, fixed when it came; empty when there was none. */
  readonly deviceIds: readonly string[];
  /** SHA-256 of the request, when an idempotency key came with it. */
  readonly fingerprint: string | null;
  /** The family that its service was shared with then, which says how long it is kept. */
  readonly familyId?: string;
  readonly receivedAt: Instant;
}
