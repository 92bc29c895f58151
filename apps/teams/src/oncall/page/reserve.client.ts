import { Bus, type Context } from '@carillon/bus';
import { Accounts, pageReserve } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { type Logger, LOGGER, numberSetting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';

/** What accounts may page in a minute: a reserve of its own, which nothing else uses up. */
@Injectable()
export class PageReserve {
  private readonly limit = numberSetting('CARILLON_PAGES_PER_MINUTE', 30);

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Refused `page.too_many`. A service that pages by itself has no account to count for. */
  async take(context: Context): Promise<void> {
    const { accountId } = context.caller;
    if (accountId === '') return;
    const take = { ...pageReserve(accountId), limit: this.limit, count: 1 };
    const grant = await this.bus.ask(Accounts.takeRates, { takes: [take] }, context).then(
      ({ value }) => value.grants[0],
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        // Better an uncounted page than one that nobody gets.
        this.logger.warn(
          { err: error, traceparent: context.traceparent },
          'Failed to count pages against the rate limit: the page is sent',
        );
        return { granted: 1, resetSeconds: 0 };
      },
    );
    if (!grant || grant.granted > 0) return;
    throw new Refused('page.too_many', { limit: this.limit, retryAfter: grant.resetSeconds });
  }
}
