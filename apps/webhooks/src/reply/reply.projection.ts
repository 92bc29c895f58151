import type { ReplyEvent, ReplyQueued, WebhookEvent } from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import { type Instant, plus, type Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = ReplyQueued | ReplyEvent | WebhookEvent;

/** After these something may be due at once. */
const urgent = new Set(['ReplyQueued', 'ReplyResent', 'WebhookChanged', 'WebhookDisabled', 'WebhookDeleted']);

/** The deliveries: what became of each, for who asks, and when each is due, for the worker. */
@Injectable()
export class ReplyProjection extends Projection {
  readonly name = 'replies';
  readonly tables = ['replies'];
  readonly categories = ['outbox', 'reply', 'webhook'];
  readonly handles = [
    'ReplyQueued',
    'ReplyAttempted',
    'ReplyResent',
    'ReplyCanceled',
    'ReplyTested',
    'WebhookChanged',
    'WebhookDisabled',
    'WebhookDeleted',
  ];
  readonly ignores = ['WebhookCreated', 'WebhookSecretRotated'];

  /** Called when something may be due; whoever works on it says how. */
  onDue = (): void => {};

  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    for (const { event } of events as readonly Recorded<Followed>[]) await this.applyOne(sql, event);
  }

  override committed(events: readonly Recorded[]): void {
    if (events.some(({ type }) => urgent.has(type))) this.onDue();
  }

  private async applyOne(sql: Sql, event: Followed): Promise<void> {
    switch (event.type) {
      case 'ReplyQueued':
        await sql.query(
          `INSERT INTO replies (delivery_id, webhook_id, account_id, interaction_id, message_id, reply_type, sequence,
             status, attempts, attempt_log, created_at, due_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0, '[]', $8, $8) ON CONFLICT DO NOTHING`,
          [
            event.deliveryId,
            event.webhookId,
            event.accountId,
            event.interactionId,
            event.messageId,
            event.replyType,
            event.sequence,
            event.queuedAt,
          ],
        );
        break;
      case 'ReplyAttempted': {
        const { attempt, attemptedAt, status, latencyMs, responseCode, error, nextAttemptAt } = event;
        await sql.query(
          `UPDATE replies SET status = $2, attempts = $3, response_code = $4, latency_ms = $5, error = $6,
             attempt_log = CASE WHEN jsonb_array_length(attempt_log) < 10 THEN attempt_log ELSE attempt_log - 0 END
               || $7::jsonb,
             delivered_at = $8, owner = NULL, owned_until = NULL, retry_at = NULL,
             due_at = CASE WHEN $9 AND cancel IS NOT NULL THEN least(due_at, $10::timestamptz) ELSE $10 END,
             cancel = CASE WHEN $9 THEN cancel END
           WHERE delivery_id = $1`,
          [
            event.deliveryId,
            status,
            attempt,
            responseCode,
            latencyMs,
            error,
            JSON.stringify([{ attempt, attemptedAt, status, latencyMs, responseCode, error }]),
            status === 'delivered' ? plus(attemptedAt, latencyMs) : null,
            // What is over is not given up any more.
            nextAttemptAt !== null,
            nextAttemptAt,
          ],
        );
        break;
      }
      case 'ReplyResent':
        await sql.query(
          `UPDATE replies SET status = 'pending', due_at = $2, delivered_at = NULL, cancel = NULL, resends = resends + 1
           WHERE delivery_id = $1`,
          [event.deliveryId, event.resentAt],
        );
        break;
      case 'ReplyCanceled':
        await sql.query(
          `UPDATE replies SET status = 'canceled', due_at = NULL, cancel = NULL, owner = NULL, owned_until = NULL, retry_at = NULL
           WHERE delivery_id = $1`,
          [event.deliveryId],
        );
        break;
      case 'ReplyTested': {
        const { testedAt: attemptedAt, status, latencyMs, responseCode, error } = event;
        await sql.query(
          `INSERT INTO replies (delivery_id, webhook_id, account_id, message_id, reply_type, status, attempts,
             response_code, latency_ms, error, attempt_log, created_at, delivered_at)
           VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10::jsonb, $11, $12) ON CONFLICT DO NOTHING`,
          [
            event.deliveryId,
            event.webhookId,
            event.accountId,
            event.messageId,
            event.replyType,
            status,
            responseCode,
            latencyMs,
            error,
            JSON.stringify([{ attempt: 1, attemptedAt, status, latencyMs, responseCode, error }]),
            attemptedAt,
            status === 'delivered' ? plus(attemptedAt, latencyMs) : null,
          ],
        );
        break;
      }
      case 'WebhookChanged':
        if (event.enabled === false) await this.giveUp(sql, event.webhookId, 'disabled', event.changedAt);
        break;
      case 'WebhookDisabled':
        await this.giveUp(sql, event.webhookId, 'disabled', event.disabledAt);
        break;
      case 'WebhookDeleted':
        await this.giveUp(sql, event.webhookId, 'deleted', event.deletedAt);
        break;
      case 'WebhookCreated':
      case 'WebhookSecretRotated':
        break;
    }
  }

  /** All that waits is due at once, for the worker to say so in the log; what is switched on again later stays given up. */
  private async giveUp(
    sql: Sql,
    webhookId: string,
    reason: 'disabled' | 'deleted',
    at: Instant,
  ): Promise<void> {
    await sql.query(
      `UPDATE replies SET cancel = $2, due_at = least(due_at, $3) WHERE webhook_id = $1 AND due_at IS NOT NULL`,
      [webhookId, reason, at],
    );
  }
}
