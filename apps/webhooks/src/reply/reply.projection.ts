import type { Streams } from '@carillon/contracts';
import { type EventsOf, ignore, ignoring, Projection, type Sql, type On } from '@carillon/event-store';
import { type Instant, plus, type Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

/** Events after which a delivery may be due at once. */
const urgent = new Set([
  'ReplyQueued',
  'ReplyResent',
  'WebhookChanged',
  'WebhookDisabled',
  'WebhookDeleted',
  'ConnectorRemoved',
]);

type Followed = Streams<'outbox' | 'reply' | 'webhook' | 'connector'>;
const ignoredOfConnectors = ignoring(
  'ConnectorRegistered',
  'ConnectorChanged',
  'ConnectorSecretRotated',
  'ConnectorCameOnline',
  'ConnectorAgentChanged',
  'ConnectorWentOffline',
  'ConnectorPaged',
  'ConnectorPageResolved',
);

/** Projects the deliveries: the outcome of each for the API, and the due time of each for the worker. */
@Injectable()
export class ReplyProjection extends Projection<Followed> {
  readonly name = 'replies';
  readonly tables = ['replies'];
  readonly on: On<Followed> = {
    outbox: {
      ReplyQueued: async (sql, { event }) => {
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
      },
    },
    reply: {
      ReplyAttempted: async (sql, { event }) => {
        const { attempt, attemptedAt, status, latencyMs, responseCode, error, nextAttemptAt } = event;
        const { connectorId = null } = event;
        await sql.query(
          `UPDATE replies SET status = $2, attempts = $3, response_code = $4, latency_ms = $5, error = $6,
             attempt_log = CASE WHEN jsonb_array_length(attempt_log) < 10 THEN attempt_log ELSE attempt_log - 0 END
               || $7::jsonb,
             delivered_at = $8, owner = NULL, owned_until = NULL, retry_at = NULL,
             due_at = CASE WHEN $9 AND cancel IS NOT NULL THEN least(due_at, $10::timestamptz) ELSE $10 END,
             cancel = CASE WHEN $9 THEN cancel END, connector_id = $11
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
            // A finished delivery is not cancelled any more.
            nextAttemptAt !== null,
            nextAttemptAt,
            connectorId,
          ],
        );
      },
      ReplyResent: async (sql, { event }) => {
        await sql.query(
          `UPDATE replies SET status = 'pending', due_at = $2, delivered_at = NULL, cancel = NULL, resends = resends + 1
           WHERE delivery_id = $1`,
          [event.deliveryId, event.resentAt],
        );
      },
      ReplyCanceled: async (sql, { event }) => {
        await sql.query(
          `UPDATE replies SET status = 'canceled', due_at = NULL, cancel = NULL, owner = NULL, owned_until = NULL, retry_at = NULL
           WHERE delivery_id = $1`,
          [event.deliveryId],
        );
      },
      ReplyTested: async (sql, { event }) => {
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
      },
    },
    webhook: {
      WebhookCreated: ignore,
      WebhookChanged: async (sql, { event }) => {
        // Waiting deliveries go to the new URL: a removal of the former connector must not cancel them.
        if (event.url !== undefined)
          await sql.query(
            `UPDATE replies SET connector_id = NULL
             WHERE webhook_id = $1 AND connector_id IS NOT NULL AND due_at IS NOT NULL`,
            [event.webhookId],
          );
        if (event.enabled === false) await this.giveUp(sql, event.webhookId, 'disabled', event.changedAt);
      },
      WebhookSecretRotated: ignore,
      WebhookDisabled: async (sql, { event }) => {
        await this.giveUp(sql, event.webhookId, 'disabled', event.disabledAt);
      },
      WebhookDeleted: async (sql, { event }) => {
        await this.giveUp(sql, event.webhookId, 'deleted', event.deletedAt);
      },
    },
    connector: {
      ...ignoredOfConnectors,
      // Cancels the deliveries that went through the connector: its host is no longer a receiver.
      ConnectorRemoved: async (sql, { event }) => {
        await sql.query(
          `UPDATE replies SET cancel = 'deleted', due_at = least(due_at, $2)
           WHERE connector_id = $1 AND due_at IS NOT NULL`,
          [event.connectorId, event.removedAt],
        );
      },
    },
  };

  /**
   * A delivery depends on one account, but for the removal of a team's connector: the worker asks about the connector
   * again before each attempt.
   */
  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  /** Called when a delivery may be due; the worker sets it. */
  onDue = (): void => {};

  override committed(events: readonly Recorded[]): void {
    if (events.some(({ type }) => urgent.has(type))) this.onDue();
  }

  /**
   * Makes all waiting deliveries due at once so that the worker cancels them; switching on again does not revive them.
   */
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
