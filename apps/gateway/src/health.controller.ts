import { Bus } from '@carillon/bus';
import { healthOf, type Hindrance, serviceNames } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiError } from './errors/api-error';
import { systemContext } from './request/context';
import type { Row } from './request/row';
import { Carries } from './request/carries';

const row = (path: string): Row => ({ method: 'GET', path, access: 'public', scopes: [] });

export const healthRows = { live: row('/healthz/live'), ready: row('/healthz/ready') };

const timeoutMs = 2_000;

type Unready = Hindrance & { readonly service: string };

interface House {
  readonly unready: readonly Unready[];
  readonly notices: readonly { readonly service: string; readonly notice: string }[];
}

/** What an orchestrator asks. */
@Controller()
export class HealthController {
  draining = false;
  private asking: Promise<House> | undefined;

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
    const { unready, notices } = await this.house();
    if (unready.length === 0) return { ok: true, ...(notices.length > 0 && { notices }) };
    throw new ApiError(
      503,
      'UNAVAILABLE',
      'The service is not ready.',
      { retryAfter: 1, unready },
      { 'retry-after': '1' },
    );
  }

  /** Who asks at the same time shares the answer: the route is public. */
  private house(): Promise<House> {
    if (this.draining)
      return Promise.resolve({ unready: [{ service: 'gateway', reason: 'is being stopped' }], notices: [] });
    this.asking ??= this.askAll().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async askAll(): Promise<House> {
    const all = await Promise.all(
      serviceNames.map(async (service): Promise<House> => {
        try {
          const asked = systemContext('gateway.health', timeoutMs);
          const { hindrances, notices } = (await this.bus.ask(healthOf(service), {}, asked)).value;
          return {
            unready: hindrances.map((hindrance) => ({ service, ...hindrance })),
            notices: notices.map((notice) => ({ service, notice })),
          };
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          const isMissing = error.reason === 'bus.no_responders';
          return {
            unready: [{ service, reason: isMissing ? 'does not run' : 'does not answer' }],
            notices: [],
          };
        }
      }),
    );
    return { unready: all.flatMap(({ unready }) => unready), notices: all.flatMap(({ notices }) => notices) };
  }
}
