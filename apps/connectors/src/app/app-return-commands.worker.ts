import { Database, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { AppReturns } from './app-returns.service';

interface Command {
  readonly appId: string;
  readonly addedBy: string;
  /** The number of the move to undo. */
  readonly moves: number;
}

const withinMs = 10_000;

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
  async add(sql: Sql, commands: readonly Command[], from: Cause): Promise<void> {
    await this.enqueue(
      sql,
      ...commands.map((command) => ({ key: `app back ${command.appId} ${command.moves}`, command, from })),
    );
  }

  protected async execute({ appId, addedBy, moves }: Command, as: CommandContext): Promise<void> {
    await this.returns.bringBack(appId, moves, as.context({ withinMs }), as.metadata(addedBy));
  }
}
