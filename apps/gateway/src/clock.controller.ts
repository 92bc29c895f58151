import { Clock, ManualClock } from '@carillon/runtime';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from './errors/api-error';
import type { Row } from './request/row';
import { Carries } from './request/carries';

export const clockRow: Row = { method: 'POST', path: '/__clock', access: 'public', scopes: [] };

/** Moves the clock of a house that runs with CARILLON_CLOCK=manual; there only then. */
@Controller()
export class ClockController {
  constructor(@Inject(Clock) private readonly clock: Clock) {}

  @Post('/__clock')
  @HttpCode(200)
  @Carries(clockRow)
  async advance(@Req() http: FastifyRequest): Promise<{ now: string }> {
    const { advanceSeconds: seconds }: { advanceSeconds?: unknown } = JSON.parse(String(http.body ?? '{}'));
    if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > 366 * 86_400)
      throw invalid('advanceSeconds', 'must be a number of seconds that is not negative');
    return { now: await (this.clock as ManualClock).advance(seconds * 1000) };
  }
}
