import { networkOf, numberSetting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type ApiError, tooMany } from '../errors/api-error';
import { rateHeaders } from './policy';
import { Rates } from './rates';

/** Counts failed credentials by network, for all routes together. */
@Injectable()
export class Failures {
  private readonly limit = numberSetting('CARILLON_AUTH_FAILURES_PER_MINUTE', 30);

  constructor(@Inject(Rates) private readonly rates: Rates) {}

  /** The answer to a failure: the failure itself, or 429 after too many. Valid credentials pass in either case. */
  async count({ ip }: Pick<FastifyRequest, 'ip'>, failure: ApiError): Promise<ApiError> {
    const policy = {
      name: 'failures',
      key: `failures:${networkOf(ip)}`,
      limit: this.limit,
      windowSeconds: 60,
    };
    const [state] = await this.rates.take([policy]).catch(() => []);
    if (!state || state.granted) return failure;
    return tooMany(state.limit, state.resetSeconds, rateHeaders([state]));
  }
}
