import { Bus } from '@carillon/bus';
import { Accounts } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { systemContext } from '../request/context';
import type { Policy, PolicyState } from './policy';

interface Pending {
  readonly policies: readonly Policy[];
  resolve(states: readonly PolicyState[]): void;
  reject(error: unknown): void;
}

/**
 * Counts requests for all gateways together. Requests that arrive during a call are counted together in the next call,
 * so that the cost of each falls as the load grows.
 */
@Injectable()
export class Rates {
  private waiting: Pending[] = [];
  private asking = 0;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Takes one from each policy. */
  take(policies: readonly Policy[]): Promise<readonly PolicyState[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ policies, resolve, reject });
      if (this.asking === 0) void this.askAll();
    });
  }

  /** The state of these policies; takes nothing. */
  look(policies: readonly Policy[]): Promise<readonly PolicyState[]> {
    return this.countAll(policies, 0);
  }

  /** Gives one back to each policy, and returns their state. */
  release(policies: readonly Policy[]): Promise<readonly PolicyState[]> {
    return this.countAll(policies, -1);
  }

  private async countAll(policies: readonly Policy[], count: 0 | -1): Promise<readonly PolicyState[]> {
    const { value } = await this.bus.ask(
      Accounts.takeRates,
      { takes: policies.map(({ key, limit, windowSeconds }) => ({ key, limit, windowSeconds, count })) },
      systemContext('gateway.rates', 2_000),
    );
    return policies.map((policy, index) => {
      const { remaining = policy.limit, resetSeconds = policy.windowSeconds } = value.grants[index] ?? {};
      return { ...policy, granted: remaining > 0, remaining, resetSeconds };
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
    const left = new Map(value.grants.map((grant, index) => [asked[index]?.key, { ...grant }]));
    for (const { policies, resolve } of batch)
      resolve(
        policies.map((policy) => {
          const grant = left.get(policy.key);
          if (!grant) throw new Error('A policy was not counted');
          const granted = grant.granted > 0;
          // Accounts returns the count after the whole batch; earlier requests of the batch had more left.
          const remaining = grant.remaining + Math.max(0, grant.granted - 1);
          if (granted) grant.granted -= 1;
          return { ...policy, granted, remaining: granted ? remaining : 0, resetSeconds: grant.resetSeconds };
        }),
      );
  }
}
