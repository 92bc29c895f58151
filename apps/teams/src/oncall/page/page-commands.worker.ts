import { Database, type Sql, type Timer } from '@carillon/event-store';
import { type Instant, millis } from '@carillon/eventing';
import { escalationLateSeconds } from '@carillon/metrics';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { openPages, type PagesOf } from './page-row.entity';
import { type PageRef, PageSteps } from './page-steps.service';
import type { Gone } from './rosters.service';

type Stepping = PageRef & { readonly step: number };

type Command =
  | (Stepping & { readonly what: 'next' | 'unreached' })
  | (PageRef & { readonly what: 'leaver'; readonly accountId: string })
  | (PageRef & { readonly what: 'close'; readonly reason: Gone })
  // All that are open when it is executed: there may be many.
  | (PagesOf & { readonly what: 'leaver of all'; readonly accountId: string })
  | (PagesOf & { readonly what: 'close all'; readonly reason: Gone });

const withinMs = 5_000;

/** Executes the commands of pages: the next step at its time, all others at once. Repeating a command has no effect. */
@Injectable()
export class PageCommands extends CommandQueue<Command> {
  readonly name = 'page_commands';
  protected readonly process = 'teams.page_commands';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(PageSteps) private readonly steps: PageSteps,
  ) {
    super(database, clock);
  }

  /** Schedules the next step of each page. */
  async setNext(
    sql: Sql,
    next: readonly { readonly of: Stepping; readonly at: Instant; readonly from: Cause }[],
  ): Promise<void> {
    await this.enqueue(
      sql,
      ...next.map(({ of, at, from }) => ({
        key: nextKey(of.pageId),
        at,
        command: { what: 'next' as const, ...of },
        from,
      })),
    );
  }

  async cancelNext(sql: Sql, pageIds: readonly string[]): Promise<void> {
    await this.clearAll(sql, pageIds.map(nextKey));
  }

  async runUnreached(
    sql: Sql,
    unreached: readonly { readonly of: Stepping; readonly from: Cause }[],
  ): Promise<void> {
    await this.enqueue(
      sql,
      ...unreached.map(({ of, from }) => ({
        key: `unreached ${of.pageId} ${of.step}`,
        command: { what: 'unreached' as const, ...of },
        from,
      })),
    );
  }

  async takeFromLeaver(sql: Sql, pages: readonly PageRef[], accountId: string, from: Cause): Promise<void> {
    await this.enqueue(
      sql,
      ...pages.map((of) => ({
        key: `leaver ${of.pageId} ${accountId}`,
        command: { what: 'leaver' as const, ...of, accountId },
        from,
      })),
    );
  }

  async close(sql: Sql, pages: readonly PageRef[], reason: Gone, from: Cause): Promise<void> {
    await this.enqueue(
      sql,
      ...pages.map((of) => ({
        key: `close ${of.pageId}`,
        command: { what: 'close' as const, ...of, reason },
        from,
      })),
    );
  }

  async takeAllFromLeaver(
    sql: Sql,
    of: PagesOf & { readonly accountId: string },
    from: Cause,
  ): Promise<void> {
    await this.enqueue(sql, {
      key: `leaver ${of.teamId} ${of.accountId}`,
      command: { what: 'leaver of all', ...of },
      from,
    });
  }

  async closeAll(sql: Sql, of: PagesOf, reason: Gone, from: Cause): Promise<void> {
    await this.enqueue(sql, {
      key: `close ${of.groupId ?? of.teamId}`,
      command: { what: 'close all', ...of, reason },
      from,
    });
  }

  protected override async issue(timer: Timer): Promise<Instant | void> {
    const again = await super.issue(timer);
    if ((timer.command as Command).what === 'next')
      escalationLateSeconds.observe({ of: 'page' }, (this.clock.ms() - millis(timer.dueAt)) / 1_000);
    return again;
  }

  protected async execute(command: Command, as: CommandContext): Promise<void> {
    if (command.what === 'leaver of all' || command.what === 'close all')
      return this.executeForAll(command, as);
    const metadata = as.metadata(command.teamId);
    const context = as.context({ withinMs });
    switch (command.what) {
      case 'next':
        await this.steps.runDue(command, command.step, metadata, context);
        return;
      case 'unreached':
        await this.steps.runUnreached(command, command.step, metadata, context);
        return;
      case 'leaver':
        await this.steps.takeFromLeaver(command, command.accountId, metadata, context);
        return;
      case 'close':
        await this.steps.close(command, command.reason, metadata);
        return;
    }
  }

  /** A page that comes meanwhile is found by the projection. */
  private async executeForAll(
    command: Extract<Command, { what: 'leaver of all' | 'close all' }>,
    as: CommandContext,
  ): Promise<void> {
    await this.forEach(openPages(this.database, command), async (page) => {
      const metadata = as.metadata(command.teamId, page.pageId);
      if (command.what === 'close all') await this.steps.close(page, command.reason, metadata);
      else {
        const context = as.context({ withinMs, step: page.pageId });
        await this.steps.takeFromLeaver(page, command.accountId, metadata, context);
      }
    });
  }
}

const nextKey = (pageId: string): string => `next ${pageId}`;
