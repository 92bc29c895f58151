import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { team } from '../team';
import { leaveGroups, type Removed } from './leave-groups';

type Command = Omit<Removed, 'at'>;

/** Takes devices that were removed from their accounts out of a team's groups. Its commands are due at once. */
@Injectable()
export class RemovedDevices extends CommandQueue<Command> {
  readonly name = 'removed_devices';
  protected readonly process = 'teams.removed_devices';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the event that removes the device. */
  async add(sql: Sql, command: Command, from: Cause): Promise<void> {
    await this.enqueue(sql, {
      key: `removed device ${command.teamId} ${command.deviceId}`,
      command,
      from,
    });
  }

  protected async execute({ teamId, deviceId, removals }: Command, as: CommandContext): Promise<void> {
    await this.log.transact(
      team,
      streamTail(teamId),
      leaveGroups({ teamId, deviceId, removals, at: this.clock.now() }),
      as.metadata(teamId),
    );
  }
}
