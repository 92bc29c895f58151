import type { ServiceChanged, ServiceCreated, ServiceDeleted, WebhookDeleted } from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { DeletedWebhooks } from './deleted-webhooks.worker';

type Followed = ServiceCreated | ServiceChanged | ServiceDeleted | WebhookDeleted;

/**
 * Knows which reply webhook each service has for its own and which were deleted, and orders that no service keeps one of
 * those. In the order of the log, so that one chosen while it was being deleted is found too.
 */
@Injectable()
export class DeletedWebhooksProcess extends Projection {
  readonly name = 'deleted_webhooks';
  readonly tables = ['chosen_webhooks', 'deleted_webhooks'];
  readonly categories = ['service', 'webhook'];
  readonly handles = ['ServiceCreated', 'ServiceChanged', 'ServiceDeleted', 'WebhookDeleted'];
  readonly ignores = [
    'ServiceShared',
    'HookRotated',
    'WebhookCreated',
    'WebhookChanged',
    'WebhookSecretRotated',
    'WebhookDisabled',
  ];

  constructor(@Inject(DeletedWebhooks) private readonly worker: DeletedWebhooks) {
    super();
  }

  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    for (const recorded of events as readonly Recorded<Followed>[]) await this.applyOne(sql, recorded);
  }

  private async applyOne(sql: Sql, recorded: Recorded<Followed>): Promise<void> {
    const { event } = recorded;
    switch (event.type) {
      case 'ServiceCreated':
      case 'ServiceChanged': {
        if (event.defaultReplyWebhookId === undefined) return;
        await sql.query(`DELETE FROM chosen_webhooks WHERE service_id = $1`, [event.serviceId]);
        if (event.defaultReplyWebhookId === null) return;
        await sql.query(`INSERT INTO chosen_webhooks (service_id, webhook_id) VALUES ($1, $2)`, [
          event.serviceId,
          event.defaultReplyWebhookId,
        ]);
        const [deleted] = await sql.query(`SELECT FROM deleted_webhooks WHERE webhook_id = $1`, [
          event.defaultReplyWebhookId,
        ]);
        if (deleted) await this.worker.order(sql, event.serviceId, event.defaultReplyWebhookId, recorded);
        return;
      }
      case 'ServiceDeleted':
        await sql.query(`DELETE FROM chosen_webhooks WHERE service_id = $1`, [event.serviceId]);
        return;
      case 'WebhookDeleted': {
        await sql.query(`INSERT INTO deleted_webhooks (webhook_id) VALUES ($1) ON CONFLICT DO NOTHING`, [
          event.webhookId,
        ]);
        const services = await sql.query<{ service_id: string }>(
          `SELECT service_id FROM chosen_webhooks WHERE webhook_id = $1`,
          [event.webhookId],
        );
        for (const { service_id } of services)
          await this.worker.order(sql, service_id, event.webhookId, recorded);
      }
    }
  }
}
