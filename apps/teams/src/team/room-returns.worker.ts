import { Database, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { RoomReturns } from './room-returns.service';

interface Order {
  readonly accountId: string;
  readonly teamId: string;
}

/** Gives room back, orders that are due at once. */
@Injectable()
export class RoomReturnOrders extends Orders<Order> {
  readonly name = 'room_returns';
  protected readonly process = 'teams.room_returns';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(RoomReturns) private readonly returns: RoomReturns,
  ) {
    super(database, clock);
  }

  /** In the transaction of what it follows from. */
  async order(sql: Sql, accountIds: readonly string[], teamId: string, from: Cause): Promise<void> {
    await this.place(
      sql,
      ...accountIds.map((accountId) => ({
        key: `room ${teamId} ${accountId}`,
        order: { accountId, teamId },
        from,
      })),
    );
  }

  protected async carryOut({ accountId, teamId }: Order, as: Mandate): Promise<void> {
    await this.returns.giveBack({ accountId, teamId, at: this.clock.now() }, as.metadata(accountId));
  }
}
