import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, plus } from '@carillon/eventing';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { team } from '../../team/team';
import { forget, keptSince } from './forget';
import { page } from './page';

type Command =
  | { readonly what: 'look'; readonly teamId: string }
  | { readonly what: 'cut'; readonly pageId: string; readonly revision: string };

const dayMs = 24 * 60 * 60 * 1000;
const atOnce = 100;

/** Forgets closed pages after the retention of their team: at once when the retention changes, then once a day. */
@Injectable()
export class PageRetention extends CommandQueue<Command> {
  readonly name = 'page_retention';
  protected readonly process = 'teams.page_retention';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** Enqueues a check of a team whose retention changed. */
  async look(sql: Sql, teamId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: `look ${teamId}`, command: { what: 'look', teamId }, from });
  }

  /** Enqueues the truncation of a forgotten page's stream. */
  async cut(sql: Sql, pageId: string, revision: bigint, from: Cause): Promise<void> {
    const command: Command = { what: 'cut', pageId, revision: String(revision) };
    await this.enqueue(sql, { key: `cut ${pageId}`, command, from });
  }

  protected async execute(command: Command, as: CommandContext): Promise<Instant | void> {
    if (command.what === 'look') return this.forgetOld(command.teamId, as);
    const stream = `${page.category}-${streamTail(command.pageId)}`;
    await this.log.store.truncateBefore(stream, BigInt(command.revision));
  }

  /** Forgets the old pages of a team. Returns the time of the next check. */
  private async forgetOld(teamId: string, as: CommandContext): Promise<Instant | void> {
    const { state } = await this.log.load(team, streamTail(teamId));
    const at = this.clock.now();
    const before = state && keptSince({ retentionDays: state.retentionDays, keepDays: 0 }, at);
    if (!state || !before) return;
    for (let after = ''; ;) {
      const rows = await this.database.query<{ page_id: string }>(
        `SELECT page_id FROM pages WHERE team_id = $1 AND resolved_at <= $2 AND page_id > $3 ORDER BY page_id LIMIT $4`,
        [teamId, before, after, atOnce],
      );
      for (const { page_id: pageId } of rows)
        await this.log.transact(
          page,
          streamTail(pageId),
          forget({ retentionDays: state.retentionDays, at }),
          as.metadata(teamId, pageId),
        );
      const last = rows.at(-1);
      if (!last || rows.length < atOnce) return plus(at, dayMs);
      after = last.page_id;
    }
  }
}
