import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { release, removeWithTeam } from './change';
import { connector, isThere } from './connector';
import { keyOwner } from './connector-access.service';

type EndedTie =
  | { readonly what: 'remove'; readonly connectorId: string }
  | {
      readonly what: 'unlink';
      readonly connectorId: string;
      readonly groupId: string;
      readonly reason: 'group_deleted' | 'team_left';
    };

type Command =
  | EndedTie
  /** All that are tied when it is executed: there may be 50 of each member. */
  | { readonly what: 'team deleted'; readonly teamId: string }
  | { readonly what: 'group deleted'; readonly groupId: string };

interface TieRow {
  readonly connector_id: string;
  readonly group_id: string | null;
}

/** How many ties are read at a time. */
const atOnce = 500;

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
  async add(sql: Sql, commands: readonly EndedTie[], from: Cause): Promise<void> {
    await this.enqueue(
      sql,
      ...commands.map((command) => {
        const { what, connectorId } = command;
        const key = `${what} ${connectorId}${command.what === 'unlink' ? ` ${command.groupId}` : ''}`;
        return { key, command, from };
      }),
    );
  }

  async addAllOfTeam(sql: Sql, teamId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: `team ${teamId}`, command: { what: 'team deleted', teamId }, from });
  }

  async addAllOfGroup(sql: Sql, groupId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: `group ${groupId}`, command: { what: 'group deleted', groupId }, from });
  }

  protected async execute(command: Command, as: CommandContext): Promise<void> {
    await this.forEach(this.tiesOf(command), (tie) => this.end(tie, as));
  }

  /** The quota slot of a removed connector is released when a later registration needs it. */
  private async end(tie: EndedTie, as: CommandContext): Promise<void> {
    const tail = streamTail(tie.connectorId);
    const { state } = await this.log.load(connector, tail);
    if (!isThere(state)) return;
    const at = this.clock.now();
    const decide = tie.what === 'remove' ? removeWithTeam({ at }) : release({ ...tie, at });
    await this.log.transact(connector, tail, decide, as.metadata(keyOwner(state), tie.connectorId));
  }

  private async *tiesOf(command: Command): AsyncGenerator<EndedTie> {
    switch (command.what) {
      case 'team deleted':
        for await (const { connector_id } of this.rows('team_id', command.teamId))
          yield { what: 'remove', connectorId: connector_id };
        yield* this.linked('team_id IS NULL AND group_team_id', command.teamId);
        return;
      case 'group deleted':
        yield* this.linked('group_id', command.groupId);
        return;
      default:
        yield command;
    }
  }

  /** The links of connectors to groups that were deleted. */
  private async *linked(which: string, id: string): AsyncGenerator<EndedTie> {
    for await (const { connector_id: connectorId, group_id: groupId } of this.rows(which, id))
      if (groupId !== null) yield { what: 'unlink', connectorId, groupId, reason: 'group_deleted' };
  }

  private async *rows(which: string, id: string): AsyncGenerator<TieRow> {
    for (let after = ''; ;) {
      const rows = await this.database.query<TieRow>(
        `SELECT connector_id, group_id FROM connector_ties
         WHERE ${which} = $1 AND connector_id > $2 ORDER BY connector_id LIMIT $3`,
        [id, after, atOnce],
      );
      yield* rows;
      const last = rows.at(-1);
      if (!last || rows.length < atOnce) return;
      after = last.connector_id;
    }
  }
}
