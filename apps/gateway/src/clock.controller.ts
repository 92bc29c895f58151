import { Clock, ManualClock } from '@carillon/runtime';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from './errors/api-error';
import type { Row } from './request/row';
import { Carries } from './request/carries';
import { objectIn } from './request/input';

export const clockRow: Row = { method: 'POST', path: '/__clock', access: 'public', scopes: [] };

/** Maximum advance: more due work at once would take too long for one answer. */
const maxSeconds = 366 * 86_400;

/** Advances the clock of an installation with CARILLON_CLOCK=manual; the route exists only then. */
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

/** The seconds by which a body advances the clock. */
export function secondsIn(body: Uint8Array | undefined): number {
  const given: { advanceSeconds?: unknown } = body?.length ? objectIn(body) : {};
  const { advanceSeconds: seconds } = given;
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > maxSeconds)
    throw invalid('advanceSeconds', `must be a number of seconds from 0 to ${maxSeconds} (366 days)`);
  return seconds;
}
