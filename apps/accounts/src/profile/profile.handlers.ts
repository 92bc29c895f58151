import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type Account, type AccountEvent, Accounts, ChangeProfile, Nothing } from '@carillon/contracts';
import { Database, Log, OutcomeUnknown, Projections, type Transacted } from '@carillon/event-store';
import { isZone, Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger, metadataOf, networkOf, secret } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, type AccountState, changeProfile, type Opened, accountView } from '../account/account';
import type { Claim } from '../account/claim';
import { email, emailKey } from '../account/email';
import { AccountOpening } from '../account/opening.service';
import { Smtp } from '../mail/smtp.client';
import { StrictRates } from '../rate/strict-rates.service';
import { SecondFactors } from '../second-factor/second-factors.service';
import { Sessions } from '../session/sessions.service';

type Changed = Transacted<AccountState, AccountEvent>;

/** How often another address may be asked for. */
const windowSeconds = 3_600;
const perAccount = 10;
const perNetwork = 30;

interface AccountRow {
  account_id: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  timezone: string | null;
  operator: boolean;
  created_at: Date;
}

/** Reads and changes the profile of an account. */
@Controller()
export class ProfileHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(StrictRates) private readonly rates: StrictRates,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Smtp) private readonly smtp: Smtp,
    @Inject(SecondFactors) private readonly factors: SecondFactors,
  ) {}

  @Handles(Accounts.me)
  async me(
    _input: Nothing,
    context: Context,
  ): Promise<Answer<{ account: Account; mail: boolean; totp: boolean }>> {
    await this.projections.reached('accounts', context.after, context.caller.accountId);
    const [row] = await this.database.query<AccountRow>(`SELECT * FROM accounts WHERE account_id = $1`, [
      context.caller.accountId,
    ]);
    if (!row) throw new Refused('account.not_found');
    return answer({
      account: {
        id: row.account_id,
        email: row.email ?? '',
        emailVerified: row.email_verified,
        name: row.name ?? '',
        timezone: row.timezone,
        operator: row.operator,
        createdAt: row.created_at.toISOString(),
      },
      mail: this.smtp.isOn,
      totp: await this.factors.hasTotp(row.account_id),
    });
  }

  @Handles(Accounts.changeProfile)
  async changeProfile(input: ChangeProfile, context: Context): Promise<Answer<{ account: Account }>> {
    const { accountId, sessionId } = context.caller;
    if (!sessionId) throw new Refused('session.required');
    if (input.email === undefined && input.name === undefined && input.timezone === undefined)
      throw new Refused('input.empty_update');
    if (typeof input.timezone === 'string' && !isZone(input.timezone))
      throw new Refused('input.invalid', {
        issues: [
          {
            path: 'timezone',
            message: 'must be a time zone such as Europe/Berlin',
            code: 'invalid_value',
          },
        ],
      });
    const before = await this.opening.find(accountId);
    if (!before) throw new Refused('account.not_found');
    if (input.email !== undefined && input.email !== before.email)
      await this.sessions.insistOnRecent(context);
    const { state, position } =
      input.email === undefined || this.isSameAddress(input.email, before.email)
        ? await this.change(input, before, context)
        : await this.move({ ...input, email: input.email }, before, context);
    if (!state) throw new Error('A profile was changed without a trace');
    return answer({ account: accountView(state) }, position);
  }

  /** Claims the new address, changes the account to it, and releases the claim of the old one. */
  private async move(
    input: ChangeProfile & { email: string },
    before: Opened,
    context: Context,
  ): Promise<Changed> {
    await this.insistOnGrants(before.accountId, context);
    // Only the claim of now is released: the account may come back to the address in the meantime.
    const { state: old } = await this.log.load(email, emailKey(this.pepper, before.email));
    const claimed = await this.opening.claim(input.email, before.accountId, context);
    let unused: { address: string; held: Claim | null } = { address: input.email, held: claimed };
    try {
      // A claim expires after a minute: no account changes to an address whose claim may have been taken over.
      if (Date.now() >= context.deadline) throw new Refused('bus.timeout');
      const changed = await this.change(input, before, context);
      unused = { address: before.email, held: old };
      return changed;
    } catch (error) {
      // The account may have the address already, or may still get it.
      if (error instanceof OutcomeUnknown) unused = { address: input.email, held: null };
      throw error;
    } finally {
      const { address, held } = unused;
      if (held)
        await this.opening.release(address, held, context).catch((error: unknown) => {
          this.logger.warn(
            { err: error, accountId: before.accountId, traceparent: context.traceparent },
            'Failed to release the claim of an e-mail address: another account can take it over once it has expired',
          );
        });
    }
  }

  /** Limits how often an account can find out whether an address is taken, also while the counters are unavailable. */
  private insistOnGrants(accountId: string, { caller, traceparent }: Context): Promise<void> {
    const takes = [
      { key: `address:${accountId}`, limit: perAccount, windowSeconds, count: 1 },
      { key: `address:${networkOf(caller.ip)}`, limit: perNetwork, windowSeconds, count: 1 },
    ];
    return this.rates.insist(takes, 'account.too_many_addresses', {
      message: 'Failed to count changes of e-mail addresses: they are refused until the counters can be read',
      traceparent,
    });
  }

  private change(input: ChangeProfile, before: Opened, context: Context): Promise<Changed> {
    return this.log.transact(
      account,
      streamTail(before.accountId),
      changeProfile({ ...input, emailBefore: before.email, at: this.clock.now() }),
      metadataOf(context),
    );
  }

  private isSameAddress(one: string, other: string): boolean {
    return emailKey(this.pepper, one) === emailKey(this.pepper, other);
  }
}
