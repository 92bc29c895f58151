import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';

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
  ) {}

  /** The names by account, from rows that include the log position `after`. */
  async of(accountIds: readonly string[], after?: string): Promise<(accountId: string) => PersonNames> {
    await this.projections.reached('people', after);
    const rows = await this.database.query<PersonRow>(
      `SELECT account_id, name, email, email_verified FROM people WHERE account_id = ANY($1::text[])`,
      [accountIds],
    );
    const people = new Map(rows.map((row) => [row.account_id, row]));
    return (accountId) => {
      const found = people.get(accountId);
      return {
        name: found?.name ?? '',
        email: found?.email ?? '',
        emailVerified: found?.email_verified ?? false,
      };
    };
  }
}
