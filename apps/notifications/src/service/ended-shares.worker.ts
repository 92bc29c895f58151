import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { service } from './service';
import { takeBack } from './share';

interface Order {
  readonly serviceId: string;
  readonly accountId: string;
  readonly share: number;
}

/** Takes services back from families that their creators are not in any more, an order that is due at once. */
@Injectable()
export class EndedShares extends Orders<Order> {
  readonly name = 'ended_shares';
  protected readonly process = 'notifications.ended_shares';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** In the transaction of what it follows from. */
  async order(sql: Sql, order: Order, from: Cause): Promise<void> {
    await this.place(sql, { key: `ended share ${order.serviceId} ${order.share}`, order, from });
  }

  protected async carryOut({ serviceId, accountId, share }: Order, as: Mandate): Promise<void> {
    await this.log.transact(
      service,
      streamTail(serviceId),
      takeBack({ id: serviceId, share, at: this.clock.now() }),
      as.metadata(accountId),
    );
  }
}
