import { Database, type Sql, type Timer } from '@carillon/event-store';
import { type Instant, millis } from '@carillon/eventing';
import { escalationLateSeconds } from '@carillon/metrics';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { type PagePlace, PageSteps } from './page-steps.service';
import type { Gone } from './rosters.service';

type Stepping = PagePlace & { readonly step: number };

type Order =
  | (Stepping & { readonly what: 'next' | 'unreached' })
  | (PagePlace & { readonly what: 'leaver'; readonly accountId: string })
  | (PagePlace & { readonly what: 'close'; readonly reason: Gone });

const withinMs = 5_000;

/** What pages have to do by themselves: the next step at its time, the rest at once. Each decision takes it once. */
@Injectable()
export class PageOrders extends Orders<Order> {
  readonly name = 'page_orders';
  protected readonly process = 'teams.page_orders';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(PageSteps) private readonly steps: PageSteps,
  ) {
    super(database, clock);
  }

  /** When the next step of each runs. */
  async setNext(
    sql: Sql,
    next: readonly { readonly of: Stepping; readonly at: Instant; readonly from: Cause }[],
  ): Promise<void> {
    await this.place(
      sql,
      ...next.map(({ of, at, from }) => ({
        key: nextKey(of.pageId),
        at,
        order: { what: 'next' as const, ...of },
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
    await this.place(
      sql,
      ...unreached.map(({ of, from }) => ({
        key: `unreached ${of.pageId} ${of.step}`,
        order: { what: 'unreached' as const, ...of },
        from,
      })),
    );
  }

  async takeFromLeaver(sql: Sql, pages: readonly PagePlace[], accountId: string, from: Cause): Promise<void> {
    await this.place(
      sql,
      ...pages.map((of) => ({
        key: `leaver ${of.pageId} ${accountId}`,
        order: { what: 'leaver' as const, ...of, accountId },
        from,
      })),
    );
  }

  async close(sql: Sql, pages: readonly PagePlace[], reason: Gone, from: Cause): Promise<void> {
    await this.place(
      sql,
      ...pages.map((of) => ({
        key: `close ${of.pageId}`,
        order: { what: 'close' as const, ...of, reason },
        from,
      })),
    );
  }

  protected override async issue(timer: Timer): Promise<Instant | void> {
    const again = await super.issue(timer);
    if ((timer.command as Order).what === 'next')
      escalationLateSeconds.observe({ of: 'page' }, (this.clock.ms() - millis(timer.dueAt)) / 1_000);
    return again;
  }

  protected async carryOut(order: Order, as: Mandate): Promise<void> {
    const metadata = as.metadata(order.teamId);
    const context = as.context({ withinMs });
    switch (order.what) {
      case 'next':
        await this.steps.runDue(order, order.step, metadata, context);
        return;
      case 'unreached':
        await this.steps.runUnreached(order, order.step, metadata, context);
        return;
      case 'leaver':
        await this.steps.takeFromLeaver(order, order.accountId, metadata, context);
        return;
      case 'close':
        await this.steps.close(order, order.reason, metadata);
        return;
    }
  }
}

const nextKey = (pageId: string): string => `next ${pageId}`;
