import { Database, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { SlotReleases } from './slot-releases.service';

interface Command {
  readonly accountId: string;
  readonly teamId: string;
}

/** Releases slots. Its commands are due at once. */
@Injectable()
export class SlotReleaseCommands extends CommandQueue<Command> {
  readonly name = 'slot_releases';
  protected readonly process = 'teams.slot_releases';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(SlotReleases) private readonly releases: SlotReleases,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the event that causes the release. */
  async add(sql: Sql, accountIds: readonly string[], teamId: string, from: Cause): Promise<void> {
    await this.enqueue(
      sql,
      ...accountIds.map((accountId) => ({
        key: `slot ${teamId} ${accountId}`,
        command: { accountId, teamId },
        from,
      })),
    );
  }

  protected async execute({ accountId, teamId }: Command, as: CommandContext): Promise<void> {
    await this.releases.release({ accountId, teamId, at: this.clock.now() }, as.metadata(accountId));
  }
}
