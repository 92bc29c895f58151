import { type Answer, type Context, Handles } from '@carillon/bus';
import { Accounts, Recover, type SignedIn, SignIn } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, type Logger, LOGGER, networkOf, secret, siteOf } from '@carillon/runtime';
import { deriveId, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, insistOnActive, type Opened } from '../account/account';
import { email, emailKey } from '../account/email';
import { Passwords } from '../account/passwords';
import { StrictRates } from '../rate/strict-rates.service';
import { RateWindows } from '../rate/windows.entity';
import { SecondFactors } from '../second-factor/second-factors.service';
import { Sessions } from '../session/sessions.service';
import { insistOnGrants, takesOf } from './attempts';

/** Signs people in with a password and, where the account has one, a second factor. */
@Controller()
export class SignInHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(RateWindows) private readonly windows: RateWindows,
    @Inject(StrictRates) private readonly rates: StrictRates,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(SecondFactors) private readonly factors: SecondFactors,
  ) {}

  @Handles(Accounts.signIn)
  signIn(input: SignIn, context: Context): Promise<Answer<SignedIn>> {
    return this.start(input, context, ({ accountId }) => this.factors.accepts(accountId, input, context));
  }

  @Handles(Accounts.recover)
  recover({ recoveryCode, ...input }: Recover, context: Context): Promise<Answer<SignedIn>> {
    return this.start(
      input,
      context,
      ({ accountId }) => this.factors.acceptsRecoveryCode(accountId, recoveryCode, context),
      ({ passwordHash }) => passwordHash === null,
    );
  }

  /** Starts a session when the password is right, or none is asked for, and then `isAccepted` too. */
  private async start(
    input: { readonly email: string; readonly password?: string; readonly client?: 'app' | 'browser' },
    context: Context,
    isAccepted: (opened: Opened) => Promise<boolean>,
    needsNoPassword: (opened: Opened) => boolean = () => false,
  ): Promise<Answer<SignedIn>> {
    // The rows have the networks that the account has signed in from.
    await this.projections.current('sessions');
    const atMs = this.clock.ms();
    const key = emailKey(this.pepper, input.email);
    const opened = await this.holderOf(key);
    const networkHash = this.sessions.networkHashOf(context);
    const known = await this.hasSignedInFrom(opened?.accountId ?? '', networkHash);
    const takes = takesOf({
      emailKey: key,
      network: networkOf(context.caller.ip),
      site: siteOf(context.caller.ip),
      knownNetwork: known ? networkHash : undefined,
    });
    const grants = await this.rates.take(takes, atMs, {
      message: 'Failed to count sign-in attempts: sign-in is refused until the counters can be read',
      traceparent: context.traceparent,
    });
    const granted = takes.filter((_, index) => grants[index]?.granted === 1);
    let failed = false;
    try {
      insistOnGrants(takes, grants);
      const wanted = (): boolean => Date.now() < context.deadline;
      const matches = await this.passwords.matches(opened?.passwordHash, input.password ?? '', wanted);
      // A code is good once, so the account is checked first: not for one who has given no password, who would learn
      // of its state.
      if (matches && opened) this.insistOnSessions(opened);
      const mayGoOn = opened !== undefined && (matches || needsNoPassword(opened));
      failed = !mayGoOn || !(await isAccepted(opened));
    } finally {
      if (!failed && granted.length > 0)
        await this.windows
          .release(granted, atMs)
          .catch((error: unknown) =>
            this.logger.warn(
              { err: error, traceparent: context.traceparent },
              'Failed to refund a successful sign-in attempt: it stays counted',
            ),
          );
    }
    if (failed || !opened) throw new Refused('session.login_failed');
    this.insistOnSessions(opened);
    const signedIn = await this.sessions.start(opened, input.client, context);
    // A password change in the meantime has ended the earlier sessions, but may have missed this one.
    const { state: now } = await this.log.load(account, streamTail(opened.accountId));
    if (now?.passwordHash === opened.passwordHash) return signedIn;
    await this.sessions.end(signedIn.value.session.sessionId, 'revoked', {
      ...context,
      commandId: uuidV5(context.commandId, 'former password'),
      caller: { ...context.caller, accountId: opened.accountId },
    });
    throw new Refused('session.login_failed');
  }

  private insistOnSessions(opened: Opened): void {
    insistOnActive(opened);
    // Its session would have no row.
    this.projections.insist('sessions', opened.accountId);
  }

  /** The account that signs in with an address. An unknown address costs as many steps as a known one. */
  private async holderOf(key: string): Promise<Opened | undefined> {
    const { state: claim } = await this.log.load(email, key);
    const accountId = claim?.accountId ?? deriveId('usr', 0, key);
    const { state: opened } = await this.log.load(account, streamTail(accountId));
    return opened?.accountId === accountId && opened.email && emailKey(this.pepper, opened.email) === key
      ? opened
      : undefined;
  }

  private async hasSignedInFrom(accountId: string, networkHash: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM sessions WHERE account_id = $1 AND network_hash = $2 LIMIT 1`,
      [accountId, networkHash],
    );
    return rows.length > 0;
  }
}
