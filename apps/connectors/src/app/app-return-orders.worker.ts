import { Database, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { AppReturns } from './app-returns.service';

interface Order {
  readonly appId: string;
  readonly addedBy: string;
  /** Which of its moves is over. */
  readonly moves: number;
}

const withinMs = 10_000;

/** Brings apps back to who added them, and is not in their team any more. */
@Injectable()
export class AppReturnOrders extends Orders<Order> {
  readonly name = 'app_returns';
  protected readonly process = 'connectors.app_returns';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(AppReturns) private readonly returns: AppReturns,
  ) {
    super(database, clock);
  }

  /** In the transaction of what they follow from. */
  async order(sql: Sql, orders: readonly Order[], from: Cause): Promise<void> {
    await this.place(
      sql,
      ...orders.map((order) => ({ key: `app back ${order.appId} ${order.moves}`, order, from })),
    );
  }

  protected async carryOut({ appId, addedBy, moves }: Order, as: Mandate): Promise<void> {
    await this.returns.bringBack(appId, moves, as.context({ withinMs }), as.metadata(addedBy));
  }
}
