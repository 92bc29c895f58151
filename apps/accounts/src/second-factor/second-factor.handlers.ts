import { randomBytes } from 'node:crypto';
import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import {
  AccountById,
  Accounts,
  Nothing,
  OperatedAccounts,
  type RecoveryCodes,
  TotpCode,
  type TotpKey,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf, recordOperation } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { Failures } from '../rate/failures.service';
import { Sessions } from '../session/sessions.service';
import {
  confirmTotp,
  prepareTotp,
  removeTotp,
  replaceRecoveryCodes,
  resetSecondFactor,
  secondFactor,
} from './second-factor';
import { SecondFactors } from './second-factors.service';
import { base32, keyUri, secretBytes } from './totp';

/** Sets up and removes the codes of an authenticator app, and makes recovery codes. All need a recent sign-in. */
@Controller()
export class SecondFactorHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(SecondFactors) private readonly factors: SecondFactors,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @Handles(Accounts.prepareTotp)
  async prepare(_input: Nothing, context: Context): Promise<Answer<TotpKey>> {
    const accountId = await this.recent(context);
    const opened = await this.opening.find(accountId);
    if (!opened) throw new Refused('account.not_found');
    const key = base32(randomBytes(secretBytes));
    const decide = prepareTotp({ accountId, secret: key, at: this.clock.now() });
    const { state, position } = await this.factors.change(accountId, decide, context);
    // A repeated command has made its key before.
    const prepared = state.prepared ?? key;
    return answer({ secret: prepared, uri: keyUri(prepared, opened.email) }, position);
  }

  @Handles(Accounts.confirmTotp)
  async confirm({ code }: TotpCode, context: Context): Promise<Answer<RecoveryCodes>> {
    const accountId = await this.recent(context);
    const { recoveryCodes, recoveryHashes } = this.factors.codesOf(accountId, context);
    const decide = confirmTotp({ accountId, code, recoveryHashes, at: this.clock.now() });
    const { position } = await this.guessed(accountId, context, () =>
      this.factors.change(accountId, decide, context),
    );
    return answer({ recoveryCodes }, position);
  }

  @Handles(Accounts.removeTotp)
  async remove({ code }: TotpCode, context: Context): Promise<Answer<{ ok: true }>> {
    const accountId = await this.recent(context);
    const decide = removeTotp({ accountId, code, at: this.clock.now() });
    const { position } = await this.guessed(accountId, context, () =>
      this.factors.change(accountId, decide, context),
    );
    return answer({ ok: true }, position);
  }

  @Handles(Accounts.replaceRecoveryCodes)
  async replace(_input: Nothing, context: Context): Promise<Answer<RecoveryCodes>> {
    const accountId = await this.recent(context);
    const { recoveryCodes, recoveryHashes } = this.factors.codesOf(accountId, context);
    const decide = replaceRecoveryCodes({ accountId, recoveryHashes, at: this.clock.now() });
    const { position } = await this.factors.change(accountId, decide, context);
    return answer({ recoveryCodes }, position);
  }

  @Handles(OperatedAccounts.resetSecondFactor)
  async reset({ accountId }: AccountById, context: Context): Promise<Answer<{ id: string }>> {
    insistOnOperator(context);
    if (!(await this.opening.find(accountId))) throw new Refused('account.not_found');
    const operation = {
      action: 'account.reset-second-factor',
      service: 'accounts',
      target: accountId,
    } as const;
    await recordOperation(this.log, this.clock, operation, context);
    const decide = resetSecondFactor({ accountId, at: this.clock.now() });
    const metadata = metadataOf(context, accountId);
    const { position } = await this.log.transact(secondFactor, streamTail(accountId), decide, metadata);
    return answer({ id: accountId }, position);
  }

  private guessed<T>(accountId: string, context: Context, attempt: () => Promise<T>): Promise<T> {
    return this.failures.counted(`totp:${accountId}`, 'totp.wrong_code', context, attempt);
  }

  private async recent(context: Context): Promise<string> {
    await this.sessions.insistOnRecent(context);
    return context.caller.accountId;
  }
}
