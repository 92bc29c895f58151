import type { RateGrant, RateTake } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { RateWindows } from './windows.entity';

/** What is logged where nobody can count. */
export interface Uncounted {
  readonly message: string;
  readonly traceparent?: string | undefined;
  readonly key?: string;
}

/** Rates of what must stay limited while the counters are unavailable: it is refused then, `store.unavailable`. */
@Injectable()
export class StrictRates {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(RateWindows) private readonly windows: RateWindows,
  ) {}

  /** The grants in the order of the takes. */
  async take(
    takes: readonly RateTake[],
    atMs: number,
    { message, ...about }: Uncounted,
  ): Promise<RateGrant[]> {
    try {
      return await this.windows.take(takes, atMs);
    } catch (error) {
      this.logger.error({ err: error, ...about }, message);
      throw new Refused('store.unavailable');
    }
  }

  /** Takes all of them. Refused as `reason`, with `limit` and `retryAfter`, by the first that is used up. */
  async insist(takes: readonly RateTake[], reason: string, uncounted: Uncounted): Promise<void> {
    const grants = await this.take(takes, this.clock.ms(), uncounted);
    takes.forEach(({ limit }, index) => {
      const grant = grants[index];
      if (grant?.granted === 0) throw new Refused(reason, { limit, retryAfter: grant.resetSeconds });
    });
  }
}
