import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { team } from '../team/team';
import { leaveGroups, type Removed } from './leave-groups';

type Order = Omit<Removed, 'at'>;

/** Takes devices that were removed from their accounts out of the groups of a team, an order that is due at once. */
@Injectable()
export class RemovedDevices extends Orders<Order> {
  readonly name = 'removed_devices';
  protected readonly process = 'teams.removed_devices';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** In the transaction of what it follows from. */
  async order(sql: Sql, order: Order, from: Cause): Promise<void> {
    await this.place(sql, { key: `removed device ${order.teamId} ${order.deviceId}`, order, from });
  }

  protected async carryOut({ teamId, deviceId, removals }: Order, as: Mandate): Promise<void> {
    await this.log.transact(
      team,
      streamTail(teamId),
      leaveGroups({ teamId, deviceId, removals, at: this.clock.now() }),
      as.metadata(teamId),
    );
  }
}
