import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { letGo, removeWithTeam } from './change';
import { connector, isThere } from './connector';
import { keyOwner } from './connector-access.service';

type Order =
  | { readonly what: 'remove'; readonly connectorId: string }
  | {
      readonly what: 'let go';
      readonly connectorId: string;
      readonly groupId: string;
      readonly reason: 'group_deleted' | 'team_left';
    };

/** Takes connectors away from teams that are gone, and groups that are gone from connectors: orders due at once. */
@Injectable()
export class EndedTies extends Orders<Order> {
  readonly name = 'connector_ended_ties';
  protected readonly process = 'connectors.ended_ties';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** In the transaction of what it follows from. */
  async order(sql: Sql, order: Order, from: Cause): Promise<void> {
    const { what, connectorId } = order;
    const key = `${what} ${connectorId}${order.what === 'let go' ? ` ${order.groupId}` : ''}`;
    await this.place(sql, { key, order, from });
  }

  /** The room of what is removed is given back when somebody needs it. */
  protected async carryOut(order: Order, as: Mandate): Promise<void> {
    const tail = streamTail(order.connectorId);
    const { state } = await this.log.load(connector, tail);
    if (!isThere(state)) return;
    const at = this.clock.now();
    const decide = order.what === 'remove' ? removeWithTeam({ at }) : letGo({ ...order, at });
    await this.log.transact(connector, tail, decide, as.metadata(keyOwner(state)));
  }
}
