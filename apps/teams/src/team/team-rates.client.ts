import { Bus, type Context } from '@carillon/bus';
import { Accounts, type RateGrant, type RateTake } from '@carillon/contracts';
import { isPassing, Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

const withinMs = 3_000;

/** Rate limits of teams, counted by accounts for all replicas. */
@Injectable()
export class TeamRates {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /**
   * Takes one. Refused for `reason` when none is left, and `bus.unavailable` while accounts is unavailable, so that
   * nothing happens uncounted.
   */
  async take(take: Omit<RateTake, 'count'>, reason: string, context: Context): Promise<void> {
    const { granted, resetSeconds } = await this.grantOf(take, context);
    if (granted === 0) throw new Refused(reason, { limit: take.limit, retryAfter: resetSeconds });
  }

  private async grantOf(take: Omit<RateTake, 'count'>, context: Context): Promise<RateGrant> {
    const deadline = Math.min(context.deadline, Date.now() + withinMs);
    try {
      const takes = [{ ...take, count: 1 }];
      const { value } = await this.bus.ask(Accounts.takeRates, { takes }, { ...context, deadline });
      const [grant] = value.grants;
      if (!grant) throw new Error('A rate was not counted');
      return grant;
    } catch (error) {
      throw isPassing(error) ? new Refused('bus.unavailable') : error;
    }
  }
}
