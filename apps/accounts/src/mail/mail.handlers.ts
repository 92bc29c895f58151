import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ConfirmSignInLink,
  LinkToken,
  Mail,
  Nothing,
  type Ok,
  type SignedIn,
  SignInMail,
} from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, networkOf, secret } from '@carillon/runtime';
import { newId, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { account, insistOnActive, type Opened, verifyEmail } from '../account/account';
import { emailKey } from '../account/email';
import { AccountOpening, selfMetadata } from '../account/opening.service';
import { Failures } from '../rate/failures.service';
import { StrictRates } from '../rate/strict-rates.service';
import { SecondFactors } from '../second-factor/second-factors.service';
import { Sessions } from '../session/sessions.service';
import { insistOnGood, type Link, mailLink, requestLink, tailIn, useLink } from './link';
import { Smtp } from './smtp.client';

const windowSeconds = 15 * 60;
const perAddress = 5;
const perNetwork = 30;
/** Longer than a request for a known address takes, so that the time does not tell whether it is known. */
const answerAfterMs = 300;

/** Sends links by mail, and takes them back. */
@Controller()
export class MailHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(StrictRates) private readonly rates: StrictRates,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(SecondFactors) private readonly factors: SecondFactors,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Smtp) private readonly smtp: Smtp,
  ) {}

  @Handles(Mail.show)
  async show(_input: Nothing): Promise<Answer<{ mail: boolean }>> {
    return answer({ mail: this.smtp.isOn });
  }

  @Handles(Mail.requestSignIn)
  async requestSignIn({ email }: SignInMail, context: Context): Promise<Answer<Ok>> {
    this.insistOnMail();
    await this.insistOnGrants(email, context);
    const send = async (): Promise<void> => {
      const found = await this.opening.byAddress(email);
      if (found && !found.suspended) await this.request(found, 'sign_in', context);
    };
    await Promise.all([send(), sleep(answerAfterMs)]);
    return answer({ ok: true });
  }

  @Handles(Mail.confirmSignIn)
  async confirmSignIn(input: ConfirmSignInLink, context: Context): Promise<Answer<SignedIn>> {
    this.insistOnMail();
    const { tail, opened } = await this.good(input.token, 'sign_in');
    insistOnActive(opened);
    const { accountId } = opened;
    // Its session would have no row.
    this.projections.insist('sessions', accountId);
    const check = async (): Promise<void> => {
      if (!(await this.factors.accepts(accountId, input, context))) throw new Refused('session.login_failed');
    };
    const isGuess = input.totp !== undefined || input.recoveryCode !== undefined;
    await (isGuess
      ? this.failures.counted(`mail-link:${accountId}`, 'session.login_failed', context, check)
      : check());
    await this.use(tail, 'sign_in', accountId, context);
    await this.verifyAddress(opened, context);
    return this.sessions.start({ ...opened, emailVerified: true }, input.client, context);
  }

  @Handles(Mail.requestVerification)
  async requestVerification(_input: Nothing, context: Context): Promise<Answer<Ok>> {
    this.insistOnMail();
    const found = await this.opening.find(context.caller.accountId);
    if (!found) throw new Refused('account.not_found');
    await this.insistOnGrants(found.email, context);
    if (!found.emailVerified) await this.request(found, 'verification', context);
    return answer({ ok: true });
  }

  @Handles(Mail.verify)
  async verify({ token }: LinkToken, context: Context): Promise<Answer<Ok>> {
    this.insistOnMail();
    const { tail, opened } = await this.good(token, 'verification');
    // Verified first: after a crash in between the link can be used again.
    await this.verifyAddress(opened, context);
    await this.use(tail, 'verification', opened.accountId, context);
    return answer({ ok: true });
  }

  private insistOnMail(): void {
    if (!this.smtp.isOn) throw new Refused('mail.off');
  }

  /** The link of a token and its account, which still has the address. Refused `mail.link_invalid`. */
  private async good(token: string, purpose: Link['purpose']): Promise<{ tail: string; opened: Opened }> {
    const tail = tailIn(this.pepper, token);
    if (tail === undefined) throw new Refused('mail.link_invalid');
    const { state } = await this.log.load(mailLink, tail);
    const link = insistOnGood(state, { purpose, at: this.clock.now() });
    const opened = await this.opening.find(link.accountId);
    if (!opened || emailKey(this.pepper, opened.email) !== link.emailKey)
      throw new Refused('mail.link_invalid');
    return { tail, opened };
  }

  private async request(
    { accountId, email }: Opened,
    purpose: Link['purpose'],
    context: Context,
  ): Promise<void> {
    const at = this.clock.now();
    const linkId = newId('mln', this.clock.ms());
    const decide = requestLink({ linkId, accountId, purpose, emailKey: emailKey(this.pepper, email), at });
    await this.log.transact(mailLink, streamTail(linkId), decide, selfMetadata(context, accountId), {
      expectNew: true,
    });
  }

  private async use(
    tail: string,
    purpose: Link['purpose'],
    accountId: string,
    context: Context,
  ): Promise<void> {
    const decide = useLink({ purpose, at: this.clock.now() });
    await this.log.transact(mailLink, tail, decide, selfMetadata(context, accountId));
  }

  private async verifyAddress({ accountId, email }: Opened, context: Context): Promise<void> {
    // The session of the same command has events of its own, whose ids derive from the command.
    const commandId = uuidV5(context.commandId, 'verified by mail');
    const decide = verifyEmail({ email, at: this.clock.now() });
    await this.log.transact(account, streamTail(accountId), decide, {
      ...selfMetadata(context, accountId),
      commandId,
    });
  }

  /** Known and unknown addresses count alike. Nothing is sent while nobody can count. */
  private insistOnGrants(address: string, { caller, traceparent }: Context): Promise<void> {
    const takes = [
      { key: `mail:${emailKey(this.pepper, address)}`, limit: perAddress, windowSeconds, count: 1 },
      { key: `mail:${networkOf(caller.ip)}`, limit: perNetwork, windowSeconds, count: 1 },
    ];
    return this.rates.insist(takes, 'mail.too_many', {
      message: 'Failed to count requests for mails: they are refused until the counters can be read',
      traceparent,
    });
  }
}
