import { answer, type Answer, Bus, type Context, Handles, insistOnOperator } from '@carillon/bus';
import {
  Inbox,
  type ListPage,
  type OperatedAccount,
  OperatedAccounts,
  OperatorRights,
  Push,
  SearchAccounts,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Clock, Cursors, metadataOf, recordOperation } from '@carillon/runtime';
import { sortedBy, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, changeOperator } from './account';

interface SearchedRow {
  account_id: string;
  email: string;
  name: string;
  created_at: Date;
  suspended: boolean;
  last_seen_at: Date | null;
}

const order = sortedBy(['created_at', 'desc'], ['account_id', 'desc']);

/** What operators do in the console and the operator's tool: look for accounts, and say who else is an operator. */
@Controller()
export class AccountsSearchHandlers {
  private readonly cursors = new Cursors('searched accounts', order);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  @Handles(OperatedAccounts.search)
  async search(input: SearchAccounts, context: Context): Promise<Answer<ListPage<OperatedAccount>>> {
    insistOnOperator(context);
    const { query = '' } = input;
    const asked = this.cursors.asked(query, input);
    await this.projections.abreast('accounts');
    if (!asked.key) await this.record('account.list', 'all', context);
    const after = asked.after(3);
    // A session is seen by its row, as the list of sessions shows it.
    const rows = await this.database.query<SearchedRow>(
      `SELECT a.account_id, a.email, a.name, a.created_at, a.suspended, s.last_seen_at
       FROM accounts a CROSS JOIN LATERAL (
         SELECT max(greatest(last_used_at, used_at)) AS last_seen_at
         FROM sessions LEFT JOIN last_uses ON id = session_id WHERE account_id = a.account_id) s
       WHERE email IS NOT NULL AND (name ILIKE $2 OR email ILIKE $2) AND ${after.text}
       ORDER BY ${order.by} LIMIT $1`,
      [asked.limit + 1, `%${query.replace(/[\\%_]/g, '\\$&')}%`, ...after.values],
    );
    const accountIds = rows.slice(0, asked.limit).map((row) => row.account_id);
    const { devices, sent } = await this.countsOf(accountIds, context);
    return answer(
      asked.of(
        rows,
        rows.map((row) => ({
          id: row.account_id,
          name: row.name,
          email: row.email,
          createdAt: row.created_at.toISOString(),
          lastSeenAt: row.last_seen_at?.toISOString() ?? null,
          suspended: row.suspended,
          devices: devices[row.account_id] ?? 0,
          sentToday: sent[row.account_id] ?? 0,
        })),
      ),
    );
  }

  @Handles(OperatedAccounts.changeOperator)
  async changeOperator(
    { accountId, operator }: OperatorRights,
    context: Context,
  ): Promise<Answer<{ id: string; operator: boolean }>> {
    insistOnOperator(context);
    await this.record(operator ? 'account.operator' : 'account.no-operator', accountId, context);
    const { position } = await this.log.transact(
      account,
      streamTail(accountId),
      changeOperator({ operator, at: this.clock.now() }),
      metadataOf(context, accountId),
    );
    await this.projections.caughtUp('accounts', position);
    return answer({ id: accountId, operator }, position);
  }

  /** Those of one page of the list. */
  private async countsOf(accountIds: string[], context: Context) {
    if (accountIds.length === 0) return { devices: {}, sent: {} };
    const since = `${this.clock.now().slice(0, 10)}T00:00:00.000Z`;
    const [devices, sent] = await Promise.all([
      this.bus.ask(Push.deviceCounts, { accountIds }, context),
      this.bus.ask(Inbox.sentCounts, { accountIds, since }, context),
    ]);
    return { devices: devices.value.counts, sent: sent.value.counts };
  }

  private record(action: string, target: string, context: Context): Promise<void> {
    return recordOperation(this.log, this.clock, { action, service: 'accounts', target }, context);
  }
}
