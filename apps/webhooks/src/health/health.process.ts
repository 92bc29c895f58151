import type { ReplyAttempted, Streams } from '@carillon/contracts';
import { type EventsOf, ignore, Log, type On, Projection, type Sql } from '@carillon/event-store';
import { isAfter, type Recorded } from '@carillon/eventing';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { disable, webhook } from '../webhook/webhook';
import { failingOn, verdict } from './health';
import { DisabledNotices } from './disabled-notices.worker';

type Followed = Streams<'reply' | 'webhook'>;

/** Switches off endpoints that are gone or have failed for days, and enqueues a notice to their owners. */
@Injectable()
export class HealthProcess extends Projection<Followed> {
  readonly name = 'health';
  override readonly partitioned = 'subjects';
  readonly tables = ['failing_webhooks'];
  readonly on: On<Followed> = {
    reply: {
      ReplyAttempted: (sql, recorded) =>
        recorded.event.status === 'delivered'
          ? this.forget(sql, [recorded.event.webhookId])
          : this.judge(sql, recorded),
      ReplyResent: ignore,
      ReplyCanceled: ignore,
      // A failed test does not count as a failed delivery; a successful test shows that the endpoint works.
      ReplyTested: async (sql, { event }) => {
        if (event.status === 'delivered') await this.forget(sql, [event.webhookId]);
      },
    },
    webhook: {
      WebhookCreated: ignore,
      WebhookChanged: async (sql, { event }) => {
        if (event.enabled || event.url !== undefined) await this.forget(sql, [event.webhookId]);
      },
      WebhookSecretRotated: ignore,
      WebhookDisabled: async (sql, recorded) => {
        await this.forget(sql, [recorded.event.webhookId]);
        await this.notices.order(sql, recorded);
      },
      WebhookDeleted: (sql, { event }) => this.forget(sql, [event.webhookId]),
    },
  };

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(DisabledNotices) private readonly notices: DisabledNotices,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  /** Endpoints that took all that a batch has of them are forgotten at once; the order matters to one endpoint only. */
  override async apply(sql: Sql, events: readonly Recorded<EventsOf<Followed>>[]): Promise<void> {
    const others = new Set(events.filter(isNoDelivery).map(({ event }) => event.webhookId));
    const healthy = new Set(events.map(({ event }) => event.webhookId).filter((id) => !others.has(id)));
    if (healthy.size > 0) await this.forget(sql, [...healthy]);
    await super.apply(
      sql,
      events.filter(({ event }) => others.has(event.webhookId)),
    );
  }

  private async forget(sql: Sql, webhookIds: readonly string[]): Promise<void> {
    await sql.query(`DELETE FROM failing_webhooks WHERE webhook_id = ANY($1)`, [webhookIds]);
  }

  private async judge(sql: Sql, { id, event, metadata }: Recorded<ReplyAttempted>): Promise<void> {
    const { webhookId, responseCode, attemptedAt } = event;
    const [row] = await sql.query<{ since: Date; last_failed_at: Date }>(
      `SELECT since, last_failed_at FROM failing_webhooks WHERE webhook_id = $1`,
      [webhookId],
    );
    const known = row && {
      since: row.since.toISOString(),
      lastFailedAt: row.last_failed_at.toISOString(),
    };
    const { since, lastFailedAt } = failingOn(known, attemptedAt);
    await sql.query(
      `INSERT INTO failing_webhooks (webhook_id, since, last_failed_at) VALUES ($1, $2, $3)
       ON CONFLICT (webhook_id) DO UPDATE SET since = excluded.since, last_failed_at = excluded.last_failed_at`,
      [webhookId, since, lastFailedAt],
    );
    const reason = verdict({ responseCode, attemptedAt, failingSince: since });
    if (!reason || sql.rebuilding) return;
    const decide = disable({ id: webhookId, reason, at: attemptedAt });
    await this.log.transact(
      webhook,
      streamTail(webhookId),
      // A change since the attempt may have fixed the endpoint, or switched it on again after this very failure.
      (state) => (state && isAfter(state.updatedAt, attemptedAt) ? [] : decide(state)),
      {
        commandId: uuidV5(id, 'webhooks.disable'),
        causationId: id,
        correlationId: metadata.correlationId,
        accountId: event.accountId,
        actor: { process: 'webhooks.health' },
      },
    );
  }
}

const isNoDelivery = ({ event }: Recorded<EventsOf<Followed>>): boolean =>
  event.type !== 'ReplyAttempted' || event.status !== 'delivered';
