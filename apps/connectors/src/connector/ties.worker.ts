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
      readonly what: 'let go';
      readonly connectorId: string;
      readonly groupId: string;
      readonly reason: 'group_deleted' | 'team_left';
    };

/** Takes connectors away from teams that are gone, and groups that are gone from connectors: commands due at once. */
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

  /** In the transaction of what it follows from. */
  async add(sql: Sql, command: Command, from: Cause): Promise<void> {
    const { what, connectorId } = command;
    const key = `${what} ${connectorId}${command.what === 'let go' ? ` ${command.groupId}` : ''}`;
    await this.enqueue(sql, { key, command: command, from });
  }

  /** The slot of what is removed is released when somebody needs it. */
  protected async execute(command: Command, as: CommandContext): Promise<void> {
    const tail = streamTail(command.connectorId);
    const { state } = await this.log.load(connector, tail);
    if (!isThere(state)) return;
    const at = this.clock.now();
    const decide = command.what === 'remove' ? removeWithTeam({ at }) : release({ ...command, at });
    await this.log.transact(connector, tail, decide, as.metadata(keyOwner(state)));
  }
}
