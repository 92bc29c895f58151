import { Bus } from '@carillon/bus';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiError } from './errors/api-error';
import { askReadiness, type Readiness } from './readiness';
import type { Row } from './request/row';
import { Carries } from './request/carries';

const row = (path: string): Row => ({ method: 'GET', path, access: 'public', scopes: [] });

export const healthRows = { live: row('/healthz/live'), ready: row('/healthz/ready') };

/** Liveness and readiness for an orchestrator. */
@Controller()
export class HealthController {
  draining = false;
  private asking: Promise<Readiness> | undefined;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The process runs; says nothing about its dependencies. */
  @Get('/healthz/live')
  @Carries(healthRows.live)
  live(): unknown {
    return { ok: true };
  }

  /** Requests can be served: every service answers, and each of its projections is current. */
  @Get('/healthz/ready')
  @Carries(healthRows.ready)
  async ready(): Promise<unknown> {
    const { unready, notices } = await this.readiness();
    if (unready.length === 0) return { ok: true, ...(notices.length > 0 && { notices }) };
    throw new ApiError(
      503,
      'UNAVAILABLE',
      'The service is not ready.',
      { retryAfter: 1, unready },
      { 'retry-after': '1' },
    );
  }

  /** Concurrent requests share one check, since the route is public. */
  private readiness(): Promise<Readiness> {
    if (this.draining)
      return Promise.resolve({ unready: [{ service: 'gateway', reason: 'is being stopped' }], notices: [] });
    this.asking ??= askReadiness(this.bus).finally(() => (this.asking = undefined));
    return this.asking;
  }
}
