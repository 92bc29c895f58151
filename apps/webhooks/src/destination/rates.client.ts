import { Bus, type Context } from '@carillon/bus';
import { Accounts, type RateTake } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

/** How often something may be done, counted where all replicas see it. */
@Injectable()
export class Rates {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Takes one. Refused for `reason` when there is none left; nothing is done while nobody counts. */
  async take(take: Omit<RateTake, 'count'>, reason: string, context: Context): Promise<void> {
    const { value } = await this.bus.ask(Accounts.takeRates, { takes: [{ ...take, count: 1 }] }, context);
    const grant = value.grants[0];
    if (grant && grant.granted > 0) return;
    throw new Refused(reason, { limit: take.limit, retryAfter: grant?.resetSeconds ?? take.windowSeconds });
  }
}
