import type { ServiceChanged, ServiceCreated, Streams } from '@carillon/contracts';
import { type EventsOf, ignore, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { DeletedWebhooks } from './deleted-webhooks.worker';

type Followed = Streams<'service' | 'webhook'>;

/**
 * Tracks the default reply webhook of each service and the deleted ones, and enqueues a command for each service that
 * has a deleted one. Follows the log in order, so that a webhook chosen during its deletion is found too.
 */
@Injectable()
export class DeletedWebhooksProcess extends Projection<Followed> {
  readonly name = 'deleted_webhooks';
  readonly tables = ['chosen_webhooks', 'deleted_webhooks'];
  readonly on: On<Followed> = {
    service: {
      ServiceCreated: (sql, recorded) => this.choose(sql, recorded),
      ServiceChanged: (sql, recorded) => this.choose(sql, recorded),
      ServiceShared: ignore,
      HookRotated: ignore,
      ServiceDeleted: async (sql, { event }) => {
        await sql.query(`DELETE FROM chosen_webhooks WHERE service_id = $1`, [event.serviceId]);
      },
    },
    webhook: {
      WebhookCreated: ignore,
      WebhookChanged: ignore,
      WebhookSecretRotated: ignore,
      WebhookDisabled: ignore,
      WebhookDeleted: async (sql, recorded) => {
        const { webhookId, deletedAt } = recorded.event;
        await sql.query(
          `INSERT INTO deleted_webhooks (webhook_id, deleted_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
          [webhookId, deletedAt],
        );
        const services = await sql.query<{ service_id: string }>(
          `SELECT service_id FROM chosen_webhooks WHERE webhook_id = $1`,
          [webhookId],
        );
        for (const { service_id } of services) await this.deleted.add(sql, service_id, webhookId, recorded);
      },
    },
  };

  constructor(@Inject(DeletedWebhooks) private readonly deleted: DeletedWebhooks) {
    super();
  }

  /** The webhook of a service belongs to the service's creator. */
  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  private async choose(sql: Sql, recorded: Recorded<ServiceCreated | ServiceChanged>): Promise<void> {
    const { serviceId, defaultReplyWebhookId: webhookId } = recorded.event;
    if (webhookId === undefined) return;
    await sql.query(`DELETE FROM chosen_webhooks WHERE service_id = $1`, [serviceId]);
    if (webhookId === null) return;
    await sql.query(`INSERT INTO chosen_webhooks (service_id, webhook_id) VALUES ($1, $2)`, [
      serviceId,
      webhookId,
    ]);
    const [deleted] = await sql.query(`SELECT FROM deleted_webhooks WHERE webhook_id = $1`, [webhookId]);
    if (deleted) await this.deleted.add(sql, serviceId, webhookId, recorded);
  }
}
