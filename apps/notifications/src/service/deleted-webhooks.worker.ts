import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Clock, type Logger, LOGGER } from '@carillon/service';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
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
export class DeletedWebhooksWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly timers: Timers;

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.timers = new Timers(database, clock, (timer) => this.forget(timer), logger);
  }

  onApplicationBootstrap(): void {
    this.timers.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.timers.stop();
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
    await this.timers.schedule(sql, `deleted webhook ${serviceId} ${webhookId}`, this.clock.now(), order);
  }

  private async forget({ command }: Timer): Promise<void> {
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
