import { Clock, ManualClock } from '@carillon/runtime';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from './errors/api-error';
import type { Row } from './request/row';
import { Carries } from './request/carries';
import { objectIn } from './request/input';

export const clockRow: Row = { method: 'POST', path: '/__clock', access: 'public', scopes: [] };

/** What falls due in a longer time at once is more than one answer should wait for. */
const maxSeconds = 366 * 86_400;

/** Moves the clock of a house that runs with CARILLON_CLOCK=manual; there only then. */
@Controller()
export class ClockController {
  constructor(@Inject(Clock) private readonly clock: Clock) {}

  @Post('/__clock')
  @HttpCode(200)
  @Carries(clockRow)
  async advance(@Req() http: FastifyRequest): Promise<{ now: string }> {
    const seconds = secondsIn(http.body as Uint8Array | undefined);
    return { now: await (this.clock as ManualClock).advance(seconds * 1000) };
  }
}

/** By how much a body moves the clock. */
export function secondsIn(body: Uint8Array | undefined): number {
  const given: { advanceSeconds?: unknown } = body?.length ? objectIn(body) : {};
  const { advanceSeconds: seconds } = given;
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > maxSeconds)
    throw invalid('advanceSeconds', `must be a number of seconds from 0 to ${maxSeconds} (366 days)`);
  return seconds;
}
