import { Database, Log, type Sql } from '@carillon/event-store';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { domainOf } from '../../person/address';
import { Addresses } from '../../person/addresses.client';
import { team } from '../team';
import { joinByDomain } from './join-by-domain';

interface Command {
  readonly accountId: string;
}

const withinMs = 10_000;

/** Adds an account that signed in to the team of its domain. Its commands are due at once. */
@Injectable()
export class AutoJoins extends CommandQueue<Command> {
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

  /** Enqueues in the transaction of the event that causes the join. */
  async add(sql: Sql, accountId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: `auto join ${accountId}`, command: { accountId }, from });
  }

  protected async execute({ accountId }: Command, as: CommandContext): Promise<void> {
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
