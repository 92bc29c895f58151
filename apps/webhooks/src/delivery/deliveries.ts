import type { ReplyEventType, ReplyStatus, ReplyWebhookDelivery } from '@carillon/contracts';
import { type Instant, plus } from '@carillon/eventing';
import { sortedBy, type SortKey } from '@carillon/signing';
import { isCanceled } from './ending';

/** Runs a statement on the rows of deliveries. */
export interface RowReader {
  query<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]>;
}

/** The newest first. */
export const deliveryOrder = sortedBy(['created_at', 'desc'], ['delivery_id', 'desc']);

interface ReplyRow {
  delivery_id: string;
  reply_type: ReplyEventType;
  status: ReplyStatus;
  attempts: number;
  response_code: number | null;
  latency_ms: number | null;
  error: string | null;
  attempt_log: ReplyWebhookDelivery['attemptLog'];
  created_at: Date;
  delivered_at: Date | null;
  next_attempt_at: Date | null;
  /** Null for a test. */
  sequence: string | null;
}

const dayMs = 24 * 60 * 60 * 1000;

/** For how many days deliveries are listed at most. */
export const mostDays = 30;

/** A cancelled delivery is shown as such before its stream has the event. */
const status = `CASE WHEN ${isCanceled} THEN 'canceled' ELSE status END`;
const columns = `delivery_id, reply_type, ${status} AS status, attempts, response_code, latency_ms, error, attempt_log,
  created_at, delivered_at, sequence, CASE WHEN NOT ${isCanceled} THEN due_at END AS next_attempt_at`;

/** Reads the deliveries of endpoints for the API. */
export class Deliveries {
  /** Deliveries of fewer days are listed. */
  constructor(
    private readonly rows: RowReader,
    private readonly days: number,
  ) {}

  /** The rows of deliveries in list order, from after the key on. */
  async list(asked: {
    readonly webhookId: string;
    readonly status: ReplyStatus | undefined;
    readonly key: SortKey<'created_at' | 'delivery_id'> | undefined;
    readonly limit: number;
    readonly now: Instant;
  }): Promise<ReplyRow[]> {
    const { webhookId, key, limit, now } = asked;
    const after = deliveryOrder.after(key, 5);
    return this.rows.query<ReplyRow>(
      `SELECT ${columns} FROM replies
       WHERE webhook_id = $1 AND created_at > $2
         AND ($3::text IS NULL OR ${status} = $3)
         AND ${after.text}
       ORDER BY ${deliveryOrder.by} LIMIT $4`,
      [webhookId, this.since(now), asked.status ?? null, limit, ...after.values],
    );
  }

  async one(webhookId: string, deliveryId: string): Promise<ReplyWebhookDelivery | undefined> {
    const rows = await this.rows.query<ReplyRow>(
      `SELECT ${columns} FROM replies WHERE delivery_id = $1 AND webhook_id = $2`,
      [deliveryId, webhookId],
    );
    return rows.map(deliveryView)[0];
  }

  /** Those of these deliveries that are queued and can still be looked at, in the order of their endpoints' ids. */
  async among(
    deliveryIds: readonly string[],
    now: Instant,
  ): Promise<(ReplyWebhookDelivery & { readonly webhookId: string })[]> {
    const rows = await this.rows.query<ReplyRow & { webhook_id: string }>(
      `SELECT ${columns}, webhook_id FROM replies
       WHERE delivery_id = ANY($1) AND created_at > $2 ORDER BY webhook_id`,
      [deliveryIds, this.since(now)],
    );
    return rows.map((row) => ({ ...deliveryView(row), webhookId: row.webhook_id }));
  }

  /** Whether it can still be looked at and is not a mere test. */
  async isQueued(webhookId: string, deliveryId: string, now: Instant): Promise<boolean> {
    const rows = await this.rows.query(
      `SELECT 1 FROM replies WHERE delivery_id = $1 AND webhook_id = $2 AND sequence IS NOT NULL AND created_at > $3`,
      [deliveryId, webhookId, this.since(now)],
    );
    return rows.length > 0;
  }

  /** The undelivered deliveries of the endpoint since then, the oldest first, without tests. */
  async undelivered(
    webhookId: string,
    since: Instant,
    { limit, now }: { readonly limit: number; readonly now: Instant },
  ): Promise<string[]> {
    const rows = await this.rows.query<{ delivery_id: string }>(
      `SELECT delivery_id FROM replies
       WHERE webhook_id = $1 AND created_at >= $2 AND created_at > $4 AND sequence IS NOT NULL AND ${status} IN ('failed', 'canceled')
       ORDER BY created_at, delivery_id LIMIT $3`,
      [webhookId, since, limit, this.since(now)],
    );
    return rows.map((row) => row.delivery_id);
  }

  private since(now: Instant): Instant {
    return plus(now, -this.days * dayMs);
  }
}

export const deliveryView = (row: ReplyRow): ReplyWebhookDelivery => ({
  id: row.delivery_id,
  type: row.reply_type,
  status: row.status,
  attempts: row.attempts,
  responseCode: row.response_code,
  latencyMs: row.latency_ms,
  error: row.error,
  createdAt: row.created_at.toISOString(),
  deliveredAt: row.delivered_at?.toISOString() ?? null,
  nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  attemptLog: row.attempt_log,
  ...(row.sequence === null && { test: true }),
});
