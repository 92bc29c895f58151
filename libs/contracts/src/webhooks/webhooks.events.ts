import type { Instant } from '@carillon/eventing';

export type ReplyEventType = 'interaction.answered' | 'interaction.expired' | 'interaction.canceled';
export type WebhookPreset = 'generic' | 'grok' | 'slack';

/** Stream `webhook-<tail of the id>`; written by the webhooks service. */
export type WebhookEvent =
  WebhookCreated | WebhookChanged | WebhookSecretRotated | WebhookDisabled | WebhookDeleted;

/** A header that goes with every delivery. The value is sealed with the installation's keys. */
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

/** What is absent stayed as it was. */
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
  /** Until when deliveries also carry a signature of the former secret; null when it was ended at once. */
  readonly formerUntil: Instant | null;
  readonly rotatedAt: Instant;
}

/** The service switched it off: the receiver said that it is gone, or answered nothing right for five days. */
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
 * Stream `default_webhook-<account id>`: which endpoints the account has a slot for, and which of them is its default.
 * One stream, so that the flag moves in one step and no two that come at once find the same slot.
 */
export type AccountWebhooksEvent = WebhookAdmitted | WebhookReleased | DefaultWebhookChosen;

/** There is slot for it; `WebhookCreated` follows. */
export interface WebhookAdmitted {
  readonly type: 'WebhookAdmitted';
  readonly accountId: string;
  readonly webhookId: string;
  readonly admittedAt: Instant;
}

/** It was deleted, or never came to be. */
export interface WebhookReleased {
  readonly type: 'WebhookReleased';
  readonly accountId: string;
  readonly webhookId: string;
  readonly releasedAt: Instant;
}

/** Null for none. */
export interface DefaultWebhookChosen {
  readonly type: 'DefaultWebhookChosen';
  readonly accountId: string;
  readonly webhookId: string | null;
  readonly chosenAt: Instant;
}

/** Stream `outbox-<tail of the webhook id>`: what an endpoint is to hear, in order and counted without gaps. */
export interface ReplyQueued {
  readonly type: 'ReplyQueued';
  readonly webhookId: string;
  readonly accountId: string;
  /** Derived from the endpoint and the event that it is told of, so that each is told once. */
  readonly deliveryId: string;
  /** The `webhook-id` of every attempt. */
  readonly messageId: string;
  readonly interactionId: string;
  readonly replyType: ReplyEventType;
  /** 1 for the first that this endpoint ever got. */
  readonly sequence: number;
  /** Where in the log the event is that it is told of. */
  readonly source: string;
  readonly queuedAt: Instant;
}

/** Stream `reply-<tail of the delivery id>`: what became of one delivery. */
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
  /** The connector that it went through, where its host was that of one. */
  readonly connectorId?: string;
  readonly attemptedAt: Instant;
}

/** Somebody asked for it once more: its schedule begins anew, its `webhook-id` stays. */
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

/** Somebody tried the endpoint with a sample. It was sent once and has no place in the endpoint's sequence. */
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
