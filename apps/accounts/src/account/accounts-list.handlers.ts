import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { type AccountEntry, Accounts, ListAccounts, type ListPage } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Clock, Cursors, recordOperation } from '@carillon/runtime';
import { sortedBy } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { AccountOpening } from './opening.service';

interface AccountRow {
  account_id: string;
  email: string | null;
  name: string | null;
  created_at: Date;
  suspended: boolean;
}

const accountOrder = sortedBy(['created_at', 'desc'], ['account_id', 'desc']);

/** Lists the accounts for the operator of the installation. Each listing is recorded in the log. */
@Controller()
export class AccountsListHandlers {
  private readonly cursors = new Cursors('accounts', accountOrder);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
  ) {}

  @Handles(Accounts.list)
  async list(input: ListAccounts, context: Context): Promise<Answer<ListPage<AccountEntry>>> {
    insistOnOperator(context);
    if (input.email !== undefined) return this.find(input.email, context);
    const page = this.cursors.asked(null, input);
    await this.projections.abreast('accounts');
    // The list is complete or refused.
    for (const accountId of this.projections.accountsAside('accounts'))
      this.projections.insist('accounts', accountId);
    if (!page.key) await this.record('all', context);
    const after = page.after(2);
    const rows = await this.database.query<AccountRow>(
      `SELECT account_id, email, name, created_at, suspended FROM accounts
       WHERE ${after.text} ORDER BY ${accountOrder.by} LIMIT $1`,
      [page.limit + 1, ...after.values],
    );
    return answer(page.of(rows, rows.map(entryOf)));
  }

  private async find(email: string, context: Context): Promise<Answer<ListPage<AccountEntry>>> {
    const found = await this.opening.byAddress(email);
    await this.record(found?.accountId ?? 'nobody', context);
    const items: AccountEntry[] = found
      ? [
          {
            id: found.accountId,
            email: found.email,
            name: found.name,
            createdAt: found.openedAt,
            state: found.suspended ? 'suspended' : 'active',
          },
        ]
      : [];
    return answer({ items, nextCursor: null });
  }

  private record(target: string, context: Context): Promise<void> {
    return recordOperation(
      this.log,
      this.clock,
      { action: 'account.list', service: 'accounts', target },
      context,
    );
  }
}

/** An account has an address as long as its text can be decrypted. */
const entryOf = (row: AccountRow): AccountEntry => ({
  id: row.account_id,
  email: row.email,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  state: row.email === null ? 'deleted' : row.suspended ? 'suspended' : 'active',
});
