import type { ReplyQueued, Streams } from '@carillon/contracts';
import {
  columns,
  type EventsOf,
  ignore,
  ignoring,
  inBatch,
  type LeaseClaim,
  Projection,
  type On,
  type Sql,
} from '@carillon/event-store';
import { plus, type Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { DisconnectedReplies, RepliesOfEnded } from './ended-replies.worker';

/** What of the queued deliveries the worker begins after the commit of their rows. */
export interface HandedOver {
  readonly claim: LeaseClaim | undefined;
  has(deliveryId: string): boolean;
  begin(deliveryIds: readonly string[]): void;
}

export const notHandedOver: HandedOver = { claim: undefined, has: () => false, begin: () => {} };

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
  readonly tables = ['replies', 'moved_webhooks'];
  readonly on: On<Followed> = {
    outbox: {
      ReplyQueued: inBatch,
    },
    reply: {
      ReplyAttempted: async (sql, { event, position }) => {
        const { attempt, attemptedAt, status, latencyMs, responseCode, error, nextAttemptAt } = event;
        const { connectorId = null } = event;
        await sql.query(
          `UPDATE replies SET status = $2, attempts = $3, response_code = $4, latency_ms = $5, error = $6,
             attempt_log = CASE WHEN jsonb_array_length(attempt_log) < 10 THEN attempt_log ELSE attempt_log - 0 END
               || $7::jsonb,
             delivered_at = $8, owner = NULL, owned_until = NULL, retry_at = NULL,
             due_at = CASE WHEN $9 AND cancel IS NOT NULL THEN least(due_at, $10::timestamptz) ELSE $10 END,
             cancel = CASE WHEN $9 THEN cancel END, connector_id = $11, tried = $12
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
            String(position),
          ],
        );
      },
      ReplyResent: async (sql, { event, position }) => {
        await sql.query(
          `UPDATE replies SET status = 'pending', due_at = $2, delivered_at = NULL, cancel = NULL, resends = resends + 1,
             wanted = $3
           WHERE delivery_id = $1`,
          [event.deliveryId, event.resentAt, String(position)],
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
      WebhookChanged: async (sql, recorded) => {
        const { webhookId, url, enabled, changedAt } = recorded.event;
        // Waiting deliveries go to the new URL: a removal of the former connector must not cancel them.
        if (url !== undefined)
          await sql.query(
            `INSERT INTO moved_webhooks (webhook_id, position) VALUES ($1, $2)
             ON CONFLICT (webhook_id) DO UPDATE SET position = excluded.position`,
            [webhookId, String(recorded.position)],
          );
        if (enabled === false)
          await this.ended.end(sql, { id: webhookId, reason: 'disabled', at: changedAt }, recorded);
      },
      WebhookSecretRotated: ignore,
      WebhookDisabled: async (sql, recorded) => {
        const { webhookId: id, disabledAt: at } = recorded.event;
        await this.ended.end(sql, { id, reason: 'disabled', at }, recorded);
      },
      WebhookDeleted: async (sql, recorded) => {
        const { webhookId: id, deletedAt: at } = recorded.event;
        await this.ended.end(sql, { id, reason: 'deleted', at }, recorded);
        await sql.query(`DELETE FROM moved_webhooks WHERE webhook_id = $1`, [id]);
      },
    },
    connector: {
      ...ignoredOfConnectors,
      ConnectorRemoved: async (sql, recorded) => {
        const { connectorId: id, removedAt: at } = recorded.event;
        await this.disconnected.end(sql, { id, reason: 'deleted', at }, recorded);
      },
    },
  };

  constructor(
    @Inject(RepliesOfEnded) private readonly ended: RepliesOfEnded,
    @Inject(DisconnectedReplies) private readonly disconnected: DisconnectedReplies,
  ) {
    super();
    for (const queue of [ended, disconnected]) queue.onDue = () => this.onDue();
  }

  /**
   * A delivery depends on one account, but for the removal of a team's connector: the worker asks about the connector
   * again before each attempt.
   */
  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  /** The rows of queued deliveries are written first: no other event of the batch depends on whether they are there. */
  override async apply(sql: Sql, events: readonly Recorded<EventsOf<Followed>>[]): Promise<void> {
    const queued = events.filter(isQueued);
    if (queued.length > 0) await this.insert(sql, queued);
    await super.apply(
      sql,
      events.filter((recorded) => !isQueued(recorded)),
    );
  }

  /** A delivery that the worker has a place for is written as leased, and begun after the commit (ADR 25). */
  private async insert(sql: Sql, queued: readonly Recorded<ReplyQueued>[]): Promise<void> {
    const handed = sql.rebuilding ? notHandedOver : await this.handOver(sql, queued);
    const { claim } = handed;
    const given = columns(
      {
        delivery_id: 'text',
        webhook_id: 'text',
        account_id: 'text',
        interaction_id: 'text',
        message_id: 'text',
        reply_type: 'text',
        sequence: 'bigint',
        created_at: 'timestamptz',
        due_at: 'timestamptz',
        wanted: 'numeric',
        owner: 'integer',
      },
      queued,
      ({ event, position }) => ({
        delivery_id: event.deliveryId,
        webhook_id: event.webhookId,
        account_id: event.accountId,
        interaction_id: event.interactionId,
        message_id: event.messageId,
        reply_type: event.replyType,
        sequence: event.sequence,
        created_at: event.queuedAt,
        due_at: event.queuedAt,
        wanted: String(position),
        owner: claim && handed.has(event.deliveryId) ? claim.owner : null,
      }),
      { from: 2 },
    );
    const written = await sql.query<{ delivery_id: string; is_leased: boolean }>(
      `INSERT INTO replies (${given.names}, owned_until, status, attempts, attempt_log)
       SELECT n.*, CASE WHEN n.owner IS NOT NULL THEN clock_timestamp() + make_interval(secs => $1) END, 'pending', 0, '[]'
       FROM ${given.rows} ON CONFLICT DO NOTHING RETURNING delivery_id, owner IS NOT NULL AS is_leased`,
      [claim?.ownedSeconds ?? 0, ...given.values],
    );
    sql.afterCommit?.(() => {
      handed.begin(written.filter((row) => row.is_leased).map((row) => row.delivery_id));
      if (written.some((row) => !row.is_leased)) this.onDue();
    });
  }

  /** Leases deliveries that have just been queued; the worker sets it. */
  handOver = (_sql: Sql, _queued: readonly Recorded<ReplyQueued>[]): Promise<HandedOver> =>
    Promise.resolve(notHandedOver);

  /** Called when a delivery may be due; the worker sets it. */
  onDue = (): void => {};

  override committed(events: readonly Recorded[]): void {
    if (events.some(({ type }) => type === 'ReplyResent')) this.onDue();
  }
}

const isQueued = (recorded: Recorded): recorded is Recorded<ReplyQueued> => recorded.type === 'ReplyQueued';
