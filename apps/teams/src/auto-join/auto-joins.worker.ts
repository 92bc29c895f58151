import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type Mandate, Orders } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { domainOf } from '../person/address';
import { Addresses } from '../person/addresses.client';
import { team } from '../team/team';
import { joinByDomain } from './join-by-domain';

interface Order {
  readonly accountId: string;
}

const withinMs = 10_000;

/** Lets whoever signed in join the team of their domain, an order that is due at once. */
@Injectable()
export class AutoJoins extends Orders<Order> {
  readonly name = 'auto_joins';
  protected readonly process = 'teams.auto_joins';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {
    super(database, clock);
  }

  /** In the transaction of what it follows from. */
  async order(sql: Sql, accountId: string, from: Cause): Promise<void> {
    await this.place(sql, { key: `auto join ${accountId}`, order: { accountId }, from });
  }

  protected async carryOut({ accountId }: Order, as: Mandate): Promise<void> {
    const address = await this.addresses.verified(accountId, as.context({ accountId, withinMs }));
    if (address === null) return;
    const domain = domainOf(address);
    const rows = await this.database.query<{ team_id: string }>(
      `SELECT team_id FROM verified_domains WHERE domain = $1`,
      [domain],
    );
    for (const { team_id: teamId } of rows)
      await this.log.transact(
        team,
        streamTail(teamId),
        joinByDomain({ teamId, accountId, domain, at: this.clock.now() }),
        as.metadata(teamId),
      );
  }
}
