import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { Accounts, ChangePassword } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, changePassword } from '../account/account';
import { isCommon } from '../account/common-passwords';
import { AccountOpening } from '../account/opening.service';
import { Passwords } from '../account/passwords';
import { RateWindows } from '../rate/windows.entity';
import { insistOnRecent, session } from '../session/session';

const failures = { limit: 10, windowSeconds: 15 * 60, count: 1 };

/** Changes passwords. The person's other sessions end, since the old password may have been stolen. */
@Controller()
export class PasswordHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(RateWindows) private readonly windows: RateWindows,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Passwords) private readonly passwords: Passwords,
  ) {}

  @Handles(Accounts.changePassword)
  async change({ current, next }: ChangePassword, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId, sessionId } = context.caller;
    if (!sessionId) throw new Refused('session.required');
    const opened = await this.opening.find(accountId);
    if (!opened) throw new Refused('account.not_found');
    const { state } = await this.log.load(session, streamTail(sessionId));
    insistOnRecent(state, accountId, this.clock.now());
    const wanted = (): boolean => Date.now() < context.deadline;
    const passwordHash = await this.counted(accountId, context, () =>
      this.passwords.change(opened.passwordHash, current, next, wanted),
    );
    if (passwordHash === undefined) throw new Refused('password.wrong');
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

  /** Guessing must stay limited while the counters are unavailable. A correct password is refunded. */
  private async counted<T>(
    accountId: string,
    { traceparent }: Context,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const takes = [{ key: `password:${accountId}`, ...failures }];
    const atMs = this.clock.ms();
    const [grant] = await this.windows.take(takes, atMs).catch((error: unknown) => {
      this.logger.error(
        { err: error, traceparent },
        'Failed to count attempts to change a password: they are refused until the counters can be read',
      );
      throw new Refused('store.unavailable');
    });
    if (!grant || grant.granted === 0)
      throw new Refused('password.too_many_failures', {
        limit: failures.limit,
        retryAfter: grant?.resetSeconds ?? failures.windowSeconds,
      });
    let failed = false;
    try {
      const found = await attempt();
      failed = found === undefined;
      return found;
    } finally {
      if (!failed)
        await this.windows
          .release(takes, atMs)
          .catch((error: unknown) =>
            this.logger.warn(
              { err: error, traceparent },
              'Failed to refund an attempt to change a password: it stays counted',
            ),
          );
    }
  }
}
