import type { PushEnvironment } from '@carillon/contracts';
import type { ApnsPayload, FcmData } from '../payload/payload';
import type { WebMessage } from '../payload/web';

export type Provider = 'apns' | 'fcm' | 'web';

/** One attempt to send one push to a provider. */
export interface PushAttempt {
  /** The same for all retries of a push to an address, which distinguishes them from new pushes. */
  readonly requestId: string;
  readonly deviceId: string;
  readonly token: string;
  readonly environment: PushEnvironment;
  readonly message: PushMessage;
  /** Unix seconds until which the provider should try. */
  readonly expiresAtSeconds: number;
  readonly timeToLiveMs: number;
}

/** An alert rings; a silent message wakes the app; an activity message changes how the phone shows the activity. */
export interface PushMessage {
  readonly kind: 'alert' | 'silent' | 'activity';
  /** Deliver at once; otherwise when convenient for the phone. */
  readonly urgent: boolean;
  readonly apns: ApnsPayload;
  readonly fcm: FcmData;
  /** Absent for what browsers do not show. */
  readonly web?: WebMessage;
  /** A later push with the same id replaces the first, on the phone and while the phone is offline. */
  readonly collapseId?: string;
}

/**
 * - `accepted`: the provider has accepted the push, which says nothing about the phone.
 * - `not_sent`: the push certainly did not reach the provider.
 * - `ambiguous`: the provider may have accepted the push.
 * - `provider_token`: our token had expired; there is a new one.
 * - `throttled`: too many pushes for this phone or project.
 * - `throttled_key`: we created too many new tokens.
 * - `server`: an error at the provider.
 * - `config`: the provider rejects our credential, key or topic, and so every push.
 * - `config_doubtful`: as `config`, or the token belongs to another project: the answer does not distinguish them.
 * - `token_dead`: the app was removed from the phone.
 * - `token_suspect`: the token is unknown to the provider, at least for this app.
 * - `rejected`: our request is invalid.
 * - `unusable`: we do not push to this address now: it is private, or we lack the key that it expects.
 */
export type OutcomeClass =
  | 'accepted'
  | 'not_sent'
  | 'ambiguous'
  | 'provider_token'
  | 'throttled'
  | 'throttled_key'
  | 'server'
  | 'config'
  | 'config_doubtful'
  | 'token_dead'
  | 'token_suspect'
  | 'rejected'
  | 'unusable';

export interface PushOutcome {
  readonly class: OutcomeClass;
  /** The HTTP status, if the provider's library exposes one. */
  readonly status?: number;
  /** The provider's own short reason. */
  readonly reason?: string;
  readonly retryAfterMs?: number;
  readonly providerId?: string;
  /** Unix milliseconds since when the token is known to be dead. */
  readonly deadSince?: number;
}

/** Sends pushes to a provider. Never throws: every failure is an outcome. */
export interface PushTransport {
  readonly provider: Provider;
  send(attempt: PushAttempt): Promise<PushOutcome>;
  close(): Promise<void>;
}
