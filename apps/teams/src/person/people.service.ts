import { Bus } from '@carillon/bus';
import { Accounts } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';

const askedWithinMs = 5_000;

/** The visible names of a person; empty if the account was erased. */
export interface PersonNames {
  readonly name: string;
  readonly email: string;
  /** Whether the person has verified the address. */
  readonly emailVerified: boolean;
}

interface PersonRow {
  account_id: string;
  name: string | null;
  email: string | null;
  email_verified: boolean;
}

const nobody: PersonNames = { name: '', email: '', emailVerified: false };

const namesIn = (row: PersonRow): PersonNames => ({
  name: row.name ?? '',
  email: row.email ?? '',
  emailVerified: row.email_verified,
});

/**
 * The later of a caller's position and a stream's position: rows at that position have the names used in the stream.
 */
export const laterOf = (after: string | undefined, position: bigint | undefined): string => {
  const [seen, there] = [BigInt(after ?? 0), position ?? 0n];
  return String(seen > there ? seen : there);
};

/** Looks up the names of accounts. */
@Injectable()
export class People {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  /**
   * The names by account, from rows that include the log position `after`; of a person who is set aside from accounts,
   * so that no list of a team is refused for one of its members.
   */
  async of(accountIds: readonly string[], after?: string): Promise<(accountId: string) => PersonNames> {
    await this.projections.reached('people', after);
    const rows = await this.database.query<PersonRow>(
      `SELECT account_id, name, email, email_verified FROM people WHERE account_id = ANY($1::text[])`,
      [accountIds],
    );
    const people = new Map(rows.map((row) => [row.account_id, namesIn(row)]));
    const aside = this.projections.accountsAside('people');
    for (const accountId of accountIds)
      if (aside.has(accountId)) people.set(accountId, await this.now(accountId));
    return (accountId) => people.get(accountId) ?? nobody;
  }

  private async now(accountId: string): Promise<PersonNames> {
    const context = {
      commandId: randomUUID(),
      correlationId: accountId,
      caller: { accountId, process: 'teams.people' },
      deadline: Date.now() + askedWithinMs,
    };
    const asked = this.bus.ask(Accounts.person, { accountId }, context);
    return (await unless('account.not_found', asked))?.value ?? nobody;
  }
}
