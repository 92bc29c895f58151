import { createHmac } from 'node:crypto';

export interface WebhookMessage {
  /** `webhook-id`: the same whenever the message is sent. */
  readonly id: string;
  /** `webhook-timestamp`: seconds since the Unix epoch at this attempt. */
  readonly timestamp: number;
  /** Exactly what is sent. */
  readonly body: string;
}

/**
 * The value of `webhook-signature` as Standard Webhooks 1.0.0 has it: a signature for each key, so that a receiver may
 * know only one of them.
 */
export const signWebhook = (keys: readonly Buffer[], { id, timestamp, body }: WebhookMessage): string =>
  keys
    .map(
      (key) =>
        `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`,
    )
    .join(' ');

const prefix = 'whsec_';

/** A signing secret as Standard Webhooks writes it: `whsec_` and base64. */
export const signingSecretOf = (key: Buffer): string => `${prefix}${key.toString('base64')}`;

/** The bytes of a signing secret that sign. */
export const signingKeyOf = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64');
