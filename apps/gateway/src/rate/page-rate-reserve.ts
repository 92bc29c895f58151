import { pageReserve } from '@carillon/contracts';
import { logger, numberSetting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { traceOf } from '../trace/trace';
import { rateHeaders, type PolicyState } from './policy';
import { Rates } from './rates';

const log = logger('gateway');

/** What an account has left of its reserve for pages. The service takes from it, so it is looked at behind that. */
@Injectable()
export class PageRateReserve {
  private readonly limit = numberSetting('CARILLON_PAGES_PER_MINUTE', 30);

  constructor(@Inject(Rates) private readonly rates: Rates) {}

  /** Puts it beside the other limits in the headers of the answer. */
  async tell(accountId: string, reply: FastifyReply, statuses: readonly PolicyState[]): Promise<void> {
    try {
      const reserve = await this.rates.look([
        { name: 'pages', limit: this.limit, ...pageReserve(accountId) },
      ]);
      void reply.headers(rateHeaders([...statuses, ...reserve]));
    } catch (error) {
      log.warn(
        { err: error, traceparent: traceOf(reply.request) },
        'Failed to read the rate reserve for pages: the answer has no page policy',
      );
    }
  }
}
