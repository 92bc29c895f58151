import type { Instant } from '@carillon/eventing';

export type ReplyEventType = 'interaction.answered' | 'interaction.expired' | 'interaction.canceled';
export type WebhookPreset = 'generic' | 'grok' | 'slack';

/** Stream `webhook-<tail of the id>`; written by the webhooks service. */
export type WebhookEvent =
  WebhookCreated | WebhookChanged | WebhookSecretRotated | WebhookDisabled | WebhookDeleted;

/** A header of every delivery. The value is sealed with the installation's keys. */
export interface SavedHeader {
  readonly name: string;
  readonly sealedValue: string;
}

export interface WebhookCreated {
  readonly type: 'WebhookCreated';
  readonly webhookId: string;
  readonly accountId: string;
  readonly name: string | null;
  readonly url: string | null;
  readonly preset: WebhookPreset;
  readonly headers: readonly SavedHeader[] | null;
  readonly events: readonly ReplyEventType[];
  readonly enabled: boolean;
  readonly sealedSecret: string | null;
  readonly createdAt: Instant;
}

/** Absent fields are unchanged. */
export interface WebhookChanged {
  readonly type: 'WebhookChanged';
  readonly webhookId: string;
  readonly accountId: string;
  readonly name?: string | null;
  readonly url?: string | null;
  readonly preset?: WebhookPreset;
  readonly headers?: readonly SavedHeader[] | null;
  readonly events?: readonly ReplyEventType[];
  readonly enabled?: boolean;
  readonly changedAt: Instant;
}

export interface WebhookSecretRotated {
  readonly type: 'WebhookSecretRotated';
  readonly webhookId: string;
  readonly accountId: string;
  readonly sealedSecret: string | null;
  /** The time until which deliveries also have a signature of the former secret; null if that ended at once. */
  readonly formerUntil: Instant | null;
  readonly rotatedAt: Instant;
}

/** The service disabled the webhook: the receiver answered that it is gone, or failed for five days. */
export interface WebhookDisabled {
  readonly type: 'WebhookDisabled';
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: 'gone' | 'failing';
  readonly disabledAt: Instant;
}

export interface WebhookDeleted {
  readonly type: 'WebhookDeleted';
  readonly webhookId: string;
  readonly accountId: string;
  readonly deletedAt: Instant;
}

/**
 * Stream `default_webhook-<account id>`: which endpoints hold a slot of the account, and which of them is its default.
 * One stream, so that the default changes in one step and concurrent requests cannot take the same slot.
 */
export type AccountWebhooksEvent = WebhookAdmitted | WebhookReleased | DefaultWebhookChosen;

/** The endpoint has a slot; `WebhookCreated` follows. */
export interface WebhookAdmitted {
  readonly type: 'WebhookAdmitted';
  readonly accountId: string;
  readonly webhookId: string;
  readonly admittedAt: Instant;
}

/** The endpoint was deleted, or never created. */
export interface WebhookReleased {
  readonly type: 'WebhookReleased';
  readonly accountId: string;
  readonly webhookId: string;
  readonly releasedAt: Instant;
}

/** The default webhook; null for none. */
export interface DefaultWebhookChosen {
  readonly type: 'DefaultWebhookChosen';
  readonly accountId: string;
  readonly webhookId: string | null;
  readonly chosenAt: Instant;
}

/** Stream `outbox-<tail of the webhook id>`: the deliveries to an endpoint, in order and numbered without gaps. */
export interface ReplyQueued {
  readonly type: 'ReplyQueued';
  readonly webhookId: string;
  readonly accountId: string;
  /** Derived from the endpoint and the delivered event, so that each event is queued once. */
  readonly deliveryId: string;
  /** The `webhook-id` of every attempt. */
  readonly messageId: string;
  readonly interactionId: string;
  readonly replyType: ReplyEventType;
  /** 1 for the first delivery of this endpoint. */
  readonly sequence: number;
  /** The log position of the delivered event. */
  readonly source: string;
  readonly queuedAt: Instant;
}

/** Stream `reply-<tail of the delivery id>`: the outcome of one delivery. */
export type ReplyEvent = ReplyAttempted | ReplyResent | ReplyCanceled | ReplyTested;

export type AttemptError =
  | 'timeout'
  | 'dns_error'
  | 'connect_error'
  | 'tls_error'
  | 'blocked_address'
  | 'http_status'
  | 'response_too_large'
  | 'connector_disabled'
  | 'internal';

export interface ReplyAttempted {
  readonly type: 'ReplyAttempted';
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly attempt: number;
  readonly status: 'delivered' | 'retrying' | 'failed';
  readonly responseCode: number | null;
  readonly error: AttemptError | null;
  readonly latencyMs: number;
  readonly nextAttemptAt: Instant | null;
  /** The connector of the attempt, if the host belonged to one. */
  readonly connectorId?: string;
  readonly attemptedAt: Instant;
}

/** The delivery was requested again: its retry schedule restarts, its `webhook-id` stays. */
export interface ReplyResent {
  readonly type: 'ReplyResent';
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly resentAt: Instant;
}

export interface ReplyCanceled {
  readonly type: 'ReplyCanceled';
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: 'disabled' | 'deleted';
  readonly canceledAt: Instant;
}

/** The endpoint was tested with a sample, which was sent once and has no number in the endpoint's sequence. */
export interface ReplyTested {
  readonly type: 'ReplyTested';
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly messageId: string;
  readonly replyType: ReplyEventType;
  readonly status: 'delivered' | 'failed';
  readonly responseCode: number | null;
  readonly error: AttemptError | null;
  readonly latencyMs: number;
  readonly testedAt: Instant;
}
