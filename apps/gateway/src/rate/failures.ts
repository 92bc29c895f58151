import { networkOf, numberSetting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type ApiError, tooMany } from '../errors/api-error';
import { rateHeaders } from './policy';
import { Rates } from './rates';

/** Counts by network who presents what is no credential, wherever that is. */
@Injectable()
export class Failures {
  private readonly limit = numberSetting('CARILLON_AUTH_FAILURES_PER_MINUTE', 30);

  constructor(@Inject(Rates) private readonly rates: Rates) {}

  /** The answer to a failure: itself, or 429 when there were too many. What is right passes all the same. */
  async count({ ip }: Pick<FastifyRequest, 'ip'>, failure: ApiError): Promise<ApiError> {
    const policy = {
      name: 'failures',
      key: `failures:${networkOf(ip)}`,
      limit: this.limit,
      windowSeconds: 60,
    };
    const [standing] = await this.rates.take([policy]).catch(() => []);
    if (!standing || standing.granted) return failure;
    return tooMany(standing.limit, standing.resetSeconds, rateHeaders([standing]));
  }
}
