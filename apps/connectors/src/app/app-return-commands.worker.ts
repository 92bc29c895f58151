import { Database, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { AppReturns } from './app-returns.service';

interface Return {
  readonly appId: string;
  readonly addedBy: string;
  /** The number of the move to undo. */
  readonly moves: number;
}

type Command =
  | Return
  /** All apps that the deleted team has when it is executed: there may be 200 of each member. */
  | { readonly teamId: string };

const withinMs = 10_000;
/** How many apps are read at a time. */
const atOnce = 500;

/** Returns apps to the account that added them, once that account has left their team. */
@Injectable()
export class AppReturnCommands extends CommandQueue<Command> {
  readonly name = 'app_returns';
  protected readonly process = 'connectors.app_returns';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(AppReturns) private readonly returns: AppReturns,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the causing event. */
  async add(sql: Sql, commands: readonly Return[], from: Cause): Promise<void> {
    await this.enqueue(
      sql,
      ...commands.map((command) => ({ key: `app back ${command.appId} ${command.moves}`, command, from })),
    );
  }

  async addAllOf(sql: Sql, teamId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: `apps back ${teamId}`, command: { teamId }, from });
  }

  protected async execute(command: Command, as: CommandContext): Promise<void> {
    await this.forEach('teamId' in command ? this.appsOf(command.teamId) : [command], (app) =>
      this.returns.bringBack(
        app.appId,
        app.moves,
        as.context({ withinMs, step: app.appId }),
        as.metadata(app.addedBy, app.appId),
      ),
    );
  }

  private async *appsOf(teamId: string): AsyncGenerator<Return> {
    for (let after = ''; ;) {
      const rows = await this.database.query<{ app_id: string; added_by: string; moves: number }>(
        `SELECT app_id, added_by, moves FROM apps WHERE team_id = $1 AND app_id > $2 ORDER BY app_id LIMIT $3`,
        [teamId, after, atOnce],
      );
      yield* rows.map(({ app_id: appId, added_by: addedBy, moves }) => ({ appId, addedBy, moves }));
      const last = rows.at(-1);
      if (!last || rows.length < atOnce) return;
      after = last.app_id;
    }
  }
}
