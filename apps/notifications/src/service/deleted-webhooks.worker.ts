import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { forgetWebhook, service } from './service';

interface Order {
  readonly serviceId: string;
  readonly webhookId: string;
  readonly accountId: string;
  /** The event that it follows from. */
  readonly cause: string;
  readonly correlationId: string;
}

/** Takes deleted reply webhooks off the services that have them, an order that is due at once. */
@Injectable()
export class DeletedWebhooks extends Timers {
  readonly name = 'deleted_webhooks';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** In the transaction of what it follows from. */
  async order(sql: Sql, serviceId: string, webhookId: string, from: Recorded): Promise<void> {
    const order: Order = {
      serviceId,
      webhookId,
      accountId: from.metadata.accountId,
      cause: from.id,
      correlationId: from.metadata.correlationId,
    };
    await this.set(sql, `deleted webhook ${serviceId} ${webhookId}`, this.clock.now(), order);
  }

  protected async issue({ command }: Timer): Promise<void> {
    const { serviceId, webhookId, accountId, cause, correlationId } = command as Order;
    await this.log.transact(
      service,
      streamTail(serviceId),
      forgetWebhook({ id: serviceId, accountId, webhookId, at: this.clock.now() }),
      {
        commandId: uuidV5(cause, serviceId),
        causationId: cause,
        correlationId,
        accountId,
        actor: { process: 'notifications.deleted_webhooks' },
      },
    );
  }
}
