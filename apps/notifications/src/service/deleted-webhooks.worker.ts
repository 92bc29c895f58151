import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { forgetWebhook } from './change-service';
import { service } from './service';

interface Command {
  readonly serviceId: string;
  readonly webhookId: string;
  readonly accountId: string;
}

/** Removes deleted reply webhooks from the services that have them; its commands are due at once. */
@Injectable()
export class DeletedWebhooks extends CommandQueue<Command> {
  readonly name = 'deleted_webhooks';
  protected readonly process = 'notifications.deleted_webhooks';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the projection. */
  async add(sql: Sql, serviceId: string, webhookId: string, from: Cause): Promise<void> {
    const { accountId } = from.metadata;
    await this.enqueue(sql, {
      key: `deleted webhook ${serviceId} ${webhookId}`,
      command: { serviceId, webhookId, accountId },
      from,
    });
  }

  protected async execute({ serviceId, webhookId, accountId }: Command, as: CommandContext): Promise<void> {
    await this.log.transact(
      service,
      streamTail(serviceId),
      forgetWebhook({ id: serviceId, webhookId, at: this.clock.now() }),
      as.metadata(accountId),
    );
  }
}
