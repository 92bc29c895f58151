import { Bus, type Context } from '@carillon/bus';
import { Accounts, pageReserve } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { type Logger, LOGGER, numberSetting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';

/** The number of pages per minute and account: a separate rate limit, which other requests do not use up. */
@Injectable()
export class PageReserve {
  private readonly limit = numberSetting('CARILLON_PAGES_PER_MINUTE', 30);

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Refused `page.too_many`. Pages of a service itself belong to no account and are not counted. */
  async take(context: Context): Promise<void> {
    const { accountId } = context.caller;
    if (accountId === '') return;
    const take = { ...pageReserve(accountId), limit: this.limit, count: 1 };
    const grant = await this.bus.ask(Accounts.takeRates, { takes: [take] }, context).then(
      ({ value }) => value.grants[0],
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        // An uncounted page is better than a lost one.
        this.logger.warn(
          { err: error, traceparent: context.traceparent },
          'Failed to count a page against the rate limit of the account: the page is sent uncounted',
        );
        return { granted: 1, resetSeconds: 0 };
      },
    );
    if (!grant || grant.granted > 0) return;
    throw new Refused('page.too_many', { limit: this.limit, retryAfter: grant.resetSeconds });
  }
}
