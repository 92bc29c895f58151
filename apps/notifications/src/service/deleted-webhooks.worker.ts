import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { forgetWebhook } from './change-service';
import { service } from './service';

interface Order {
  readonly serviceId: string;
  readonly webhookId: string;
  readonly accountId: string;
}

/** Takes deleted reply webhooks off the services that have them, an order that is due at once. */
@Injectable()
export class DeletedWebhooks extends Orders<Order> {
  readonly name = 'deleted_webhooks';
  protected readonly process = 'notifications.deleted_webhooks';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** In the transaction of what it follows from. */
  async order(sql: Sql, serviceId: string, webhookId: string, from: Cause): Promise<void> {
    const { accountId } = from.metadata;
    await this.place(sql, {
      key: `deleted webhook ${serviceId} ${webhookId}`,
      order: { serviceId, webhookId, accountId },
      from,
    });
  }

  protected async carryOut({ serviceId, webhookId, accountId }: Order, as: Mandate): Promise<void> {
    await this.log.transact(
      service,
      streamTail(serviceId),
      forgetWebhook({ id: serviceId, webhookId, at: this.clock.now() }),
      as.metadata(accountId),
    );
  }
}
