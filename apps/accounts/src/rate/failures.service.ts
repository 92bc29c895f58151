import type { Context } from '@carillon/bus';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { StrictRates } from './strict-rates.service';
import { RateWindows } from './windows.entity';

const perAccount = 10;
const windowSeconds = 15 * 60;

/** Limits how often somebody may fail to prove who it is: a signed-in person ten times in 15 minutes. */
@Injectable()
export class Failures {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(RateWindows) private readonly windows: RateWindows,
    @Inject(StrictRates) private readonly rates: StrictRates,
  ) {}

  /**
   * Runs an attempt, which counts as a failure when it is refused as `wrong`; others are refunded. Refused
   * `password.too_many_failures`. Guessing must stay limited while the counters are unavailable.
   */
  async counted<T>(
    key: string,
    wrong: string,
    { traceparent }: Context,
    attempt: () => Promise<T>,
    limit = perAccount,
  ): Promise<T> {
    const takes = [{ key, limit, windowSeconds, count: 1 }];
    const atMs = this.clock.ms();
    const [grant] = await this.rates.take(takes, atMs, {
      message: 'Failed to count attempts to guess a secret: they are refused until the counters can be read',
      key,
      traceparent,
    });
    if (!grant || grant.granted === 0)
      throw new Refused('password.too_many_failures', {
        limit,
        retryAfter: grant?.resetSeconds ?? windowSeconds,
      });
    let failed = false;
    try {
      return await attempt();
    } catch (error) {
      failed = error instanceof Refused && error.reason === wrong;
      throw error;
    } finally {
      if (!failed)
        await this.windows
          .release(takes, atMs)
          .catch((error: unknown) =>
            this.logger.warn(
              { err: error, key, traceparent },
              'Failed to refund an attempt to guess a secret: it stays counted',
            ),
          );
    }
  }
}
