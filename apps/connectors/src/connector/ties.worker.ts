import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { release, removeWithTeam } from './change';
import { connector, isThere } from './connector';
import { keyOwner } from './connector-access.service';

type Command =
  | { readonly what: 'remove'; readonly connectorId: string }
  | {
      readonly what: 'unlink';
      readonly connectorId: string;
      readonly groupId: string;
      readonly reason: 'group_deleted' | 'team_left';
    };

/**
 * Removes the connectors of deleted teams, and unlinks lost on-call groups from connectors. Commands are due at once.
 */
@Injectable()
export class EndedTies extends CommandQueue<Command> {
  readonly name = 'connector_ended_ties';
  protected readonly process = 'connectors.ended_ties';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the causing event. */
  async add(sql: Sql, command: Command, from: Cause): Promise<void> {
    const { what, connectorId } = command;
    const key = `${what} ${connectorId}${command.what === 'unlink' ? ` ${command.groupId}` : ''}`;
    await this.enqueue(sql, { key, command, from });
  }

  /** The quota slot of a removed connector is released when a later registration needs it. */
  protected async execute(command: Command, as: CommandContext): Promise<void> {
    const tail = streamTail(command.connectorId);
    const { state } = await this.log.load(connector, tail);
    if (!isThere(state)) return;
    const at = this.clock.now();
    const decide = command.what === 'remove' ? removeWithTeam({ at }) : release({ ...command, at });
    await this.log.transact(connector, tail, decide, as.metadata(keyOwner(state)));
  }
}
