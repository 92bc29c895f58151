import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { service } from './service';
import { takeBack } from './share';
import { liveShares } from './shares.service';

interface Command {
  readonly familyId: string;
  readonly accountId: string;
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
    const { familyId, accountId } = command;
    await this.enqueue(sql, { key: `ended shares ${familyId} ${accountId}`, command, from });
  }

  protected async execute({ familyId, accountId }: Command, as: CommandContext): Promise<void> {
    const over = await this.database.query<{ service_id: string; shares: number }>(
      `SELECT service_id, shares FROM ${liveShares}
       WHERE shared_with = $1 AND account_id = $2 AND family_id IS NULL ORDER BY service_id`,
      [familyId, accountId],
    );
    await this.forEach(over, ({ service_id: id, shares: share }) =>
      this.log.transact(
        service,
        streamTail(id),
        takeBack({ id, share, at: this.clock.now() }),
        as.metadata(accountId, `${id} ${share}`),
      ),
    );
  }
}
