import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { Accounts, ChangePassword, Nothing } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, changePassword, removePassword } from '../account/account';
import { isCommon } from '../account/common-passwords';
import { AccountOpening } from '../account/opening.service';
import { Passwords } from '../account/passwords';
import { Failures } from '../rate/failures.service';
import { Sessions } from '../session/sessions.service';

/** Changes and removes passwords. The person's other sessions end, since the old password may have been stolen. */
@Controller()
export class PasswordHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @Handles(Accounts.changePassword)
  async change({ current, next }: ChangePassword, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId, sessionId } = context.caller;
    if (!sessionId) throw new Refused('session.required');
    const opened = await this.opening.find(accountId);
    if (!opened) throw new Refused('account.not_found');
    await this.sessions.insistOnRecent(context);
    const wanted = (): boolean => Date.now() < context.deadline;
    const passwordHash = await this.failures.counted(
      `password:${accountId}`,
      'password.wrong',
      context,
      async () => {
        const hash = await this.passwords.change(opened.passwordHash, current ?? '', next, wanted);
        if (hash === undefined) throw new Refused('password.wrong');
        return hash;
      },
    );
    if (isCommon(next, [opened.email, opened.name])) throw new Refused('password.too_common');
    const { position } = await this.log.transact(
      account,
      streamTail(accountId),
      changePassword({
        hashBefore: opened.passwordHash,
        passwordHash,
        keptSessionId: sessionId,
        at: this.clock.now(),
      }),
      metadataOf(context),
    );
    await this.projections.caughtUp('sessions', position);
    return answer({ ok: true }, position);
  }
  @Handles(Accounts.removePassword)
  async remove(_input: Nothing, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId, sessionId } = context.caller;
    if (!sessionId) throw new Refused('session.required');
    await this.sessions.insistOnRecent(context);
    const { position } = await this.log.transact(
      account,
      streamTail(accountId),
      removePassword({ keptSessionId: sessionId, at: this.clock.now() }),
      metadataOf(context),
    );
    await this.projections.caughtUp('sessions', position);
    return answer({ ok: true }, position);
  }
}
