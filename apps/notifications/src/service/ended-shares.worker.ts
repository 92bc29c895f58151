import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { service } from './service';
import { takeBack } from './share';

interface Command {
  readonly serviceId: string;
  readonly accountId: string;
  readonly share: number;
}

/** Ends the sharing of services with families that their creators have left; its commands are due at once. */
@Injectable()
export class EndedShares extends CommandQueue<Command> {
  readonly name = 'ended_shares';
  protected readonly process = 'notifications.ended_shares';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the projection. */
  async add(sql: Sql, command: Command, from: Cause): Promise<void> {
    await this.enqueue(sql, {
      key: `ended share ${command.serviceId} ${command.share}`,
      command,
      from,
    });
  }

  protected async execute({ serviceId, accountId, share }: Command, as: CommandContext): Promise<void> {
    await this.log.transact(
      service,
      streamTail(serviceId),
      takeBack({ id: serviceId, share, at: this.clock.now() }),
      as.metadata(accountId),
    );
  }
}
