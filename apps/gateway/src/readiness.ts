import type { Bus } from '@carillon/bus';
import { healthOf, type Hindrance, serviceNames } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { systemContext } from './request/context';

const timeoutMs = 2_000;

type Unready = Hindrance & { readonly service: string };

/** Readiness of all services together. */
export interface Readiness {
  readonly unready: readonly Unready[];
  readonly notices: readonly { readonly service: string; readonly notice: string }[];
}

/** Asks every service for its health. A service that does not answer is not ready. */
export async function askReadiness(bus: Bus): Promise<Readiness> {
  const all = await Promise.all(
    serviceNames.map(async (service): Promise<Readiness> => {
      try {
        const asked = systemContext('gateway.health', timeoutMs);
        const { hindrances, notices } = (await bus.ask(healthOf(service), {}, asked)).value;
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
