import type { Instant } from '@carillon/eventing';
import type { BodyFormat } from '../notifications/notifications.contracts';
import type { WithRecipients } from '../recipients';
import type { HookLimit, ServiceGrouping, ServicePreset, Severity } from './services.contracts';

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
  /** `plain` when absent. */
  readonly preset?: ServicePreset;
  /** `group` when absent. */
  readonly eventsPer?: ServiceGrouping;
  /** Null when absent. */
  readonly oncallGroupId?: string | null;
  /** `info` when absent. */
  readonly oncallFrom?: Severity;
  /** Sealed with the key ring; null when absent. */
  readonly sealedSenderSecret?: string | null;
  /** Null when absent. */
  readonly expectEverySeconds?: number | null;
  /** 0 when absent. */
  readonly graceSeconds?: number;
  readonly createdAt: Instant;
}

/** Absent fields are unchanged. Recipients of a shared service also see its name. */
export interface ServiceChanged extends WithRecipients {
  readonly type: 'ServiceChanged';
  readonly serviceId: string;
  readonly title?: string | null;
  readonly imageUrl?: string | null;
  readonly url?: string | null;
  readonly defaultReplyWebhookId?: string | null;
  readonly preset?: ServicePreset;
  readonly eventsPer?: ServiceGrouping;
  readonly oncallGroupId?: string | null;
  readonly oncallFrom?: Severity;
  readonly sealedSenderSecret?: string | null;
  readonly expectEverySeconds?: number | null;
  readonly graceSeconds?: number;
  /** Whether the group could not be paged any more. False as soon as another group is named. */
  readonly oncallGroupGone?: boolean;
  readonly changedAt: Instant;
}

/** The family that the service is shared with from now on; null for none. */
export interface ServiceShared {
  readonly type: 'ServiceShared';
  readonly serviceId: string;
  readonly accountId: string;
  readonly familyId: string | null;
  readonly sharedAt: Instant;
}

/** The service has a new URL. The former one no longer works. */
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

/** Stream `event-<tail of the id>`: a request to a service's URL. */
export interface EventReceived extends WithRecipients {
  readonly type: 'EventReceived';
  readonly eventId: string;
  readonly serviceId: string;
  /** The title of the service at that time. */
  readonly serviceTitle: string | null;
  readonly serviceImageUrl: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly bodyFormat: BodyFormat;
  readonly imageUrl: string | null;
  readonly url: string | null;
  readonly appId: string | null;
  /** The limit that the request exceeded, if any. Such an event only appears in the list of events. */
  readonly limitedBy: HookLimit | null;
  /** The target devices, including those of recipients, fixed at the time of the request; empty if there were none. */
  readonly deviceIds: readonly string[];
  /** SHA-256 of the request, if it had an idempotency key. */
  readonly fingerprint: string | null;
  /** The family that the service was shared with then, whose retention applies. */
  readonly familyId?: string;
  /** Whether something is wrong or over; absent for an event that says neither. */
  readonly state?: 'firing' | 'resolved';
  /** What the state is about. */
  readonly dedupKey?: string | null;
  readonly severity?: Severity | null;
  /** The on-call group to page because of it. */
  readonly oncallGroupId?: string;
  /** Of an event about the silence of the service's sender, which is no call: when the last call before it came. */
  readonly silentSince?: Instant;
  readonly receivedAt: Instant;
}

/** Stream `service_page-<tail of the event's id>`: what was done about pages because of an event. */
export type ServicePageEvent = ServicePaged | ServicePageResolved;

export interface ServicePaged {
  readonly type: 'ServicePaged';
  readonly eventId: string;
  readonly accountId: string;
  readonly serviceId: string;
  /** Null when the group could not be paged any more. */
  readonly pageId: string | null;
  readonly pagedAt: Instant;
}

export interface ServicePageResolved {
  readonly type: 'ServicePageResolved';
  readonly eventId: string;
  readonly accountId: string;
  readonly serviceId: string;
  /** Null when there was no page. */
  readonly pageId: string | null;
  readonly resolvedAt: Instant;
}
