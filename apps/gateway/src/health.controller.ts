import { Bus } from '@carillon/bus';
import { healthOf, type Hindrance, serviceNames } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiError } from './errors/api-error';
import { systemContext } from './request/context';
import type { Row } from './table/row';
import { Carries } from './table/table.controller';

const row = (path: string): Row => ({ method: 'GET', path, access: 'public', scopes: [] });

export const healthRows = { live: row('/healthz/live'), ready: row('/healthz/ready') };

const patienceMs = 2_000;

type Unready = Hindrance & { readonly service: string };

/** What an orchestrator asks. */
@Controller()
export class HealthController {
  draining = false;
  private asking: Promise<Unready[]> | undefined;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The process turns; never a word about what it depends on. */
  @Get('/healthz/live')
  @Carries(healthRows.live)
  live(): unknown {
    return { ok: true };
  }

  /** Requests can be served: every service answers, and each of its projections is current. */
  @Get('/healthz/ready')
  @Carries(healthRows.ready)
  async ready(): Promise<unknown> {
    const unready = await this.unready();
    if (unready.length === 0) return { ok: true };
    throw new ApiError(
      503,
      'UNAVAILABLE',
      'The service is not ready.',
      { retryAfter: 1, unready },
      { 'retry-after': '1' },
    );
  }

  /** Who asks at the same time shares the answer: the route is public. */
  private unready(): Promise<Unready[]> {
    if (this.draining) return Promise.resolve([{ service: 'gateway', reason: 'is being stopped' }]);
    this.asking ??= this.askAll().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async askAll(): Promise<Unready[]> {
    const all = await Promise.all(
      serviceNames.map(async (service): Promise<Unready[]> => {
        try {
          const asked = systemContext('gateway.health', patienceMs);
          const { hindrances } = (await this.bus.ask(healthOf(service), {}, asked)).value;
          return hindrances.map((hindrance) => ({ service, ...hindrance }));
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          const isMissing = error.reason === 'bus.no_responders';
          return [{ service, reason: isMissing ? 'does not run' : 'does not answer' }];
        }
      }),
    );
    return all.flat();
  }
}
