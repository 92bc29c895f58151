import { pageReserve } from '@carillon/contracts';
import { logger, numberSetting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { traceOf } from '../trace/trace';
import { rateHeaders, type PolicyState } from './policy';
import { Rates } from './rates';

const log = logger('gateway');

/** The remaining page reserve of an account. The service takes from it, so the gateway reads it afterwards. */
@Injectable()
export class PageRateReserve {
  private readonly limit = numberSetting('CARILLON_PAGES_PER_MINUTE', 30);

  constructor(@Inject(Rates) private readonly rates: Rates) {}

  /** Adds the reserve to the other limits in the headers of the answer. */
  async tell(accountId: string, reply: FastifyReply, states: readonly PolicyState[]): Promise<void> {
    try {
      const reserve = await this.rates.look([
        { name: 'pages', limit: this.limit, ...pageReserve(accountId) },
      ]);
      void reply.headers(rateHeaders([...states, ...reserve]));
    } catch (error) {
      log.warn(
        { err: error, traceparent: traceOf(reply.request) },
        'Failed to read the rate reserve for pages: the answer has no page policy',
      );
    }
  }
}
