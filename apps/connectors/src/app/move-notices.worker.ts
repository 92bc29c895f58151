import { Bus } from '@carillon/bus';
import { Notifications } from '@carillon/contracts';
import { Database, Log, type Sql } from '@carillon/event-store';
import { millis } from '@carillon/eventing';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { fingerprint, streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { app, there } from './app';
import { noticeOf } from './notice';
import { AppTeams } from './teams.client';

interface Command {
  readonly appId: string;
  readonly teamId: string;
  /** The recipient. */
  readonly userId: string;
  /** The number of the move. */
  readonly moves: number;
  readonly movedAt: string;
}

/** How long a key deduplicates notifications; an older notice is dropped. */
const newsMs = 24 * 60 * 60 * 1000;
const withinMs = 20_000;

/** Notifies the members of a team once that an app was moved into it. */
@Injectable()
export class MoveNotices extends CommandQueue<Command> {
  readonly name = 'app_move_notices';
  protected readonly process = 'connectors.app_moves';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(AppTeams) private readonly teams: AppTeams,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the move. */
  async add(sql: Sql, commands: readonly Command[], from: Cause): Promise<void> {
    await this.enqueue(
      sql,
      ...commands.map((command) => ({
        key: `app moved ${command.appId} ${command.moves} ${command.userId}`,
        command,
        from,
      })),
    );
  }

  /** Nobody is told of what they cannot open any more. */
  protected async execute(
    { appId, teamId, userId, moves, movedAt }: Command,
    as: CommandContext,
  ): Promise<void> {
    if (this.clock.ms() - millis(movedAt) >= newsMs) return;
    const found = there((await this.log.load(app, streamTail(appId))).state);
    if (found?.moves !== moves) return;
    const context = as.context({ accountId: userId, withinMs });
    const team = await this.teams.find(teamId, userId, context);
    if (!team || team.role === null) return;
    // The keys of services are shared by all accounts.
    const key = `app moved ${appId} ${moves} ${userId}`;
    await this.bus.ask(Notifications.send, noticeOf(found, team), {
      ...context,
      caller: { ...context.caller, tokenName: 'Carillon' },
      idempotency: { key, fingerprint: fingerprint(key) },
    });
  }
}
