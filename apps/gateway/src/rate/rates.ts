import { Bus } from '@carillon/bus';
import { Accounts, type RateGrant } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { systemContext } from '../request/context';

export interface Policy {
  /** As the `RateLimit` headers call it. */
  readonly name: string;
  readonly key: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface Standing extends Policy {
  readonly granted: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

interface Pending {
  readonly policies: readonly Policy[];
  resolve(standings: readonly Standing[]): void;
  reject(error: unknown): void;
}

/**
 * Counts requests where all gateways can see the count. Requests that come while an answer is under way are counted
 * together in the next one, so that the cost for each falls as the load grows.
 */
@Injectable()
export class Rates {
  private waiting: Pending[] = [];
  private asking = 0;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Takes one from each policy. */
  take(policies: readonly Policy[]): Promise<readonly Standing[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ policies, resolve, reject });
      if (this.asking === 0) void this.askAll();
    });
  }

  private async askAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, 200);
      this.asking += 1;
      try {
        await this.ask(batch);
      } catch (error) {
        for (const pending of batch) pending.reject(error);
      } finally {
        this.asking -= 1;
      }
    }
  }

  private async ask(batch: readonly Pending[]): Promise<void> {
    const takes = new Map<string, Policy & { count: number }>();
    for (const { policies } of batch)
      for (const policy of policies) {
        const take = takes.get(policy.key) ?? { ...policy, count: 0 };
        take.count += 1;
        takes.set(policy.key, take);
      }
    const asked = [...takes.values()];
    const { value } = await this.bus.ask(
      Accounts.takeRates,
      { takes: asked.map(({ key, limit, windowSeconds, count }) => ({ key, limit, windowSeconds, count })) },
      systemContext('gateway.rates', 2_000),
    );
    const left = new Map(asked.map(({ key }, index) => [key, { ...(value.grants[index] as RateGrant) }]));
    for (const { policies, resolve } of batch)
      resolve(
        policies.map((policy) => {
          const grant = left.get(policy.key) as RateGrant;
          const granted = grant.granted > 0;
          // The counts after the whole batch are known; the earlier ones of the batch saw more left.
          const remaining = grant.remaining + Math.max(0, grant.granted - 1);
          if (granted) grant.granted -= 1;
          return { ...policy, granted, remaining: granted ? remaining : 0, resetSeconds: grant.resetSeconds };
        }),
      );
  }
}

/** The values of `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateHeaders(standings: readonly Standing[]): Record<string, string> {
  const [first, ...rest] = standings;
  if (!first) return {};
  const nearest = rest.reduce(
    (near, standing) => (standing.remaining / standing.limit < near.remaining / near.limit ? standing : near),
    first,
  );
  return {
    'ratelimit-policy': standings.map((s) => `"${s.name}";q=${s.limit};w=${s.windowSeconds}`).join(', '),
    ratelimit: `"${nearest.name}";r=${nearest.remaining};t=${nearest.resetSeconds}`,
  };
}
