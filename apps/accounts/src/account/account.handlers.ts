import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type Account,
  type AccountEvent,
  Accounts,
  ChangeProfile,
  Nothing,
  type SignedIn,
  SignUp,
} from '@carillon/contracts';
import { Database, Log, OutcomeUnknown, Projections, type Transacted } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger, metadataOf, secret, setting } from '@carillon/runtime';
import { newId, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject, Injectable } from '@nestjs/common';
import { bootstrap, bootstrapId } from '../bootstrap/bootstrap';
import { Passwords } from '../session/passwords';
import { selfMetadata, Sessions } from '../session/session.handlers';
import { insistOnRecent, session } from '../session/session';
import { account, type AccountState, changeProfile, isTimezone, open, type Opened, shown } from './account';
import { type Claim, claim, email, emailKey, type Holder, release } from './email';

const tries = 3;

export interface Newcomer {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly operator: boolean;
  /** Asked once the password is hashed: the id of the account, when it is not for the address to name it. */
  readonly reserveId?: () => Promise<string>;
}

/**
 * Opens accounts. First the address is claimed for an account's id, then the account of that id is opened; whoever opens
 * it first has it. When the process dies in between, the next attempt goes on with the id that was claimed.
 */
@Injectable()
export class AccountOpening {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Passwords) private readonly passwords: Passwords,
  ) {}

  /** The opened account; nothing when another was opened under the same id. Refused `account.email_taken`. */
  async open(newcomer: Newcomer, context: Context): Promise<Opened | undefined> {
    const wanted = (): boolean => Date.now() < context.deadline;
    const passwordHash = await this.passwords.hash(newcomer.password, wanted);
    const reserved = await newcomer.reserveId?.();
    const claimed = await this.claim(newcomer.email, reserved, context);
    const id = claimed.accountId;
    // A claim holds for a minute: nothing is built on one that may have been taken over.
    if (!wanted()) throw new Refused('bus.timeout');
    const { state, events, position } = await this.log.transact(
      account,
      streamTail(id),
      open({
        id,
        email: newcomer.email,
        name: newcomer.name,
        passwordHash,
        operator: newcomer.operator,
        at: this.clock.now(),
      }),
      selfMetadata(context, id),
      { expectNew: true },
    );
    if (events.length === 0 || !state) {
      await this.giveBack(newcomer.email, claimed, context);
      return undefined;
    }
    await this.projections.caughtUp('accounts', position);
    return state;
  }

  /**
   * Claims the address for an account: `wantedId`, else the one of a claim that was never put to use, else a new one.
   * Refused `account.email_taken`.
   */
  async claim(address: string, wantedId: string | undefined, context: Context): Promise<Claim> {
    const key = emailKey(this.pepper, address);
    for (let attempt = 1; ; attempt += 1) {
      const holder = await this.holder(key);
      const unused = holder?.uses === 'nothing' ? holder.accountId : undefined;
      const accountId = wantedId ?? unused ?? newId('usr', this.clock.ms());
      try {
        const decide = claim({ accountId, ...(holder && { holder }), at: this.clock.now() });
        const { state } = await this.log.transact(email, key, decide, selfMetadata(context, accountId));
        if (!state) throw new Error('An address was claimed without a trace');
        return state;
      } catch (error) {
        const moved = error instanceof Refused && error.reason === 'stream.concurrent_update';
        if (!moved || attempt === tries) throw error;
      }
    }
  }

  async find(accountId: string): Promise<AccountState> {
    const { state } = await this.log.load(account, streamTail(accountId));
    return state?.accountId === accountId ? state : null;
  }

  private async holder(key: string): Promise<Holder | undefined> {
    const { state: held } = await this.log.load(email, key);
    if (!held) return undefined;
    const { accountId } = held;
    const found = await this.find(accountId);
    if (!found) return { accountId, uses: 'nothing' };
    return {
      accountId,
      uses: found.email && emailKey(this.pepper, found.email) === key ? 'this' : 'another',
    };
  }

  /** Gives an address back that the account does not use: neither what died on the way nor what was given up holds it. */
  async giveBack(address: string, held: Claim, context: Context): Promise<void> {
    const key = emailKey(this.pepper, address);
    const opened = await this.find(held.accountId);
    if (opened?.email && emailKey(this.pepper, opened.email) === key) return;
    const decide = release({ held, at: this.clock.now() });
    // Ids of events derive from the command and the stream, and this command may have claimed the address there.
    const commandId = uuidV5(context.commandId, 'give back');
    await this.log.transact(email, key, decide, { ...selfMetadata(context, held.accountId), commandId });
  }
}

type Changed = Transacted<AccountState, AccountEvent>;

interface AccountRow {
  account_id: string;
  email: string | null;
  name: string | null;
  timezone: string | null;
  operator: boolean;
  created_at: Date;
}

@Controller()
export class AccountHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly signupMode = signupMode();
  private begun = false;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @Handles(Accounts.signUp)
  async signUp({ email, name, password, client }: SignUp, context: Context): Promise<Answer<SignedIn>> {
    if (this.signupMode === 'closed' || !(await this.hasFirstAccount()))
      throw new Refused('account.signup_closed');
    if (this.signupMode === 'invite') throw new Refused('account.invite_invalid');
    const opened = await this.opening.open({ email, name, password, operator: false }, context);
    if (!opened) throw new Refused('account.email_taken');
    return this.sessions.start(opened, client, context);
  }

  @Handles(Accounts.me)
  async me(_input: Nothing, context: Context): Promise<Answer<{ account: Account }>> {
    await this.projections.reached('accounts', context.after);
    const [row] = await this.database.query<AccountRow>(`SELECT * FROM accounts WHERE account_id = $1`, [
      context.caller.accountId,
    ]);
    if (!row) throw new Refused('account.not_found');
    return answer({
      account: {
        id: row.account_id,
        email: row.email ?? '',
        name: row.name ?? '',
        timezone: row.timezone,
        operator: row.operator,
        createdAt: row.created_at.toISOString(),
      },
    });
  }

  @Handles(Accounts.changeProfile)
  async changeProfile(input: ChangeProfile, context: Context): Promise<Answer<{ account: Account }>> {
    const { accountId, sessionId } = context.caller;
    if (!sessionId) throw new Refused('session.required');
    if (input.email === undefined && input.name === undefined && input.timezone === undefined)
      throw new Refused('input.empty_update');
    if (typeof input.timezone === 'string' && !isTimezone(input.timezone))
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
      await this.insistOnRecentSession(accountId, sessionId);
    const { state, position } =
      input.email === undefined || this.isSameAddress(input.email, before.email)
        ? await this.change(input, before, context)
        : await this.move({ ...input, email: input.email }, before, context);
    if (!state) throw new Error('A profile was changed without a trace');
    return answer({ account: shown(state) }, position);
  }

  /** Claims the new address, takes it, gives the old one back. */
  private async move(
    input: ChangeProfile & { email: string },
    before: Opened,
    context: Context,
  ): Promise<Changed> {
    // Only the claim of now is given back: the account may come back to the address in the meantime.
    const { state: old } = await this.log.load(email, emailKey(this.pepper, before.email));
    const claimed = await this.opening.claim(input.email, before.accountId, context);
    let unused: { address: string; held: Claim | null } = { address: input.email, held: claimed };
    try {
      // A claim holds for a minute: nothing is built on one that may have been taken over.
      if (Date.now() >= context.deadline) throw new Refused('bus.timeout');
      const changed = await this.change(input, before, context);
      unused = { address: before.email, held: old };
      return changed;
    } catch (error) {
      // The account may have the address now, or get it yet.
      if (error instanceof OutcomeUnknown) unused = { address: input.email, held: null };
      throw error;
    } finally {
      const { address, held } = unused;
      if (held)
        await this.opening.giveBack(address, held, context).catch((error: unknown) => {
          // Whoever wants it next can take it over.
          this.logger.warn({ err: error, accountId: before.accountId }, 'An address was not given back');
        });
    }
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

  private async insistOnRecentSession(accountId: string, sessionId: string): Promise<void> {
    const { state } = await this.log.load(session, streamTail(sessionId));
    insistOnRecent(state, accountId, this.clock.now());
  }

  /** Nobody signs up before the operator has an account: the first account is made with the bootstrap secret. */
  private async hasFirstAccount(): Promise<boolean> {
    if (this.begun) return true;
    const { state } = await this.log.load(bootstrap, bootstrapId);
    this.begun = state.accountId !== null && (await this.opening.find(state.accountId)) !== null;
    return this.begun;
  }
}

function signupMode(): 'closed' | 'invite' | 'open' {
  const mode = setting('SIGNUP_MODE', 'closed');
  if (mode === 'closed' || mode === 'invite' || mode === 'open') return mode;
  throw new Error(`The setting SIGNUP_MODE must be closed, invite or open, not "${mode}"`);
}
