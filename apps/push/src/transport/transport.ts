import type { PushEnvironment } from '@carillon/contracts';
import type { ApnsPayload, FcmData } from '../payload/payload';

export type Provider = 'apns' | 'fcm';

/** One try to hand one push to a provider. */
export interface PushAttempt {
  /** Stays the same through all retries of a push to an address, so that they can be told from new pushes. */
  readonly requestId: string;
  readonly token: string;
  readonly environment: PushEnvironment;
  readonly message: PushMessage;
  /** Unix seconds until which the provider should try. */
  readonly expiresAtSeconds: number;
  readonly timeToLiveMs: number;
}

/** An alert rings; a silent one wakes the app; one of an activity changes what the phone shows of it. */
export interface PushMessage {
  readonly kind: 'alert' | 'silent' | 'activity';
  /** At once, or when it suits the phone. */
  readonly urgent: boolean;
  readonly apns: ApnsPayload;
  readonly fcm: FcmData;
  /** A second push under the same one takes the place of the first, on the phone and while it is away. */
  readonly collapseId?: string;
}

/**
 * - `accepted`: the provider has it. Says nothing about the phone.
 * - `not_sent`: it surely did not get there.
 * - `ambiguous`: it may have been accepted, or not.
 * - `provider_token`: our token had run out; there is a new one.
 * - `throttled`: too many for this phone or project.
 * - `throttled_key`: too many new tokens of ours.
 * - `server`: the provider's own trouble.
 * - `config`: our credential, key or topic is not taken: nothing that we send is.
 * - `config_doubtful`: the same, or a token that belongs to somebody else's project: the answer does not tell.
 * - `token_dead`: the app is gone from the phone.
 * - `token_suspect`: the provider does not know the token, or not for this app.
 * - `rejected`: what we sent is wrong.
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
  | 'rejected';

export interface PushOutcome {
  readonly class: OutcomeClass;
  /** HTTP status, when the provider gave one and its library tells. */
  readonly status?: number;
  /** Short and the provider's own. */
  readonly reason?: string;
  readonly retryAfterMs?: number;
  readonly providerId?: string;
  /** Unix milliseconds since when the token is known to be dead. */
  readonly deadSince?: number;
}

/** A way to hand pushes to a provider. Never throws: what goes wrong is an outcome. */
export interface PushTransport {
  readonly provider: Provider;
  send(attempt: PushAttempt): Promise<PushOutcome>;
  close(): Promise<void>;
}
