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
