import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';

/** What is shown of a person; empty texts for one whose account was erased. */
export interface PersonNames {
  readonly name: string;
  readonly email: string;
  /** Whether the address is known to be theirs. */
  readonly emailVerified: boolean;
}

interface PersonRow {
  account_id: string;
  name: string | null;
  email: string | null;
  email_verified: boolean;
}

/** The later one of what a caller has seen and where a stream stands: whoever is named there has a name by then. */
export const laterOf = (after: string | undefined, position: bigint | undefined): string => {
  const [seen, there] = [BigInt(after ?? 0), position ?? 0n];
  return String(seen > there ? seen : there);
};

/** Whom an account belongs to. */
@Injectable()
export class People {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /** By account, not older than `after` in the log where the caller has changed something. */
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
