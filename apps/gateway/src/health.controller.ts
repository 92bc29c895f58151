import { Bus } from '@carillon/bus';
import { Accounts } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiError } from './errors/api-error';
import { systemContext } from './request/context';
import type { Row } from './table/row';
import { Carries } from './table/table.controller';

const row = (path: string): Row => ({ method: 'GET', path, access: 'public', scopes: [] });

export const healthRows = { live: row('/healthz/live'), ready: row('/healthz/ready') };

/** Known to no account: a service that says so has its database. */
const nobody = '0'.repeat(64);

/** What an orchestrator asks. */
@Controller()
export class HealthController {
  draining = false;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The process turns; never a word about what it depends on. */
  @Get('/healthz/live')
  @Carries(healthRows.live)
  live(): unknown {
    return { ok: true };
  }

  /** Requests can be served. */
  @Get('/healthz/ready')
  @Carries(healthRows.ready)
  async ready(): Promise<unknown> {
    const unready = new ApiError(
      503,
      'UNAVAILABLE',
      'The service is not ready.',
      { retryAfter: 1 },
      { 'retry-after': '1' },
    );
    if (this.draining) throw unready;
    try {
      await this.bus.ask(Accounts.identifyToken, { hash: nobody }, systemContext('gateway.health', 2_000));
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== 'token.unknown') throw unready;
    }
    return { ok: true };
  }
}
