import { randomUUID } from 'node:crypto';
import { Bus } from '@carillon/bus';
import { Accounts, type AccessThroughGateway, type RatesTaken } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { systemContext } from '../request/context';
import type { Policy, PolicyState } from './policy';

/** An account and what it is about to do through this gateway. */
interface Access {
  readonly accountId: string;
  readonly writes: boolean;
}

interface Taken {
  readonly states: readonly PolicyState[];
  /** The account may have written through another gateway lately. */
  readonly isWrittenElsewhere: boolean;
}

interface Pending {
  readonly policies: readonly Policy[];
  readonly access: Access | undefined;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/** For how long a gateway counts on what accounts has recorded; accounts keeps it for half a minute longer. */
const recordedMs = 60_000;
/** A write with less left records again. */
const leastMs = 30_000;
const maxRecorded = 20_000;
/** Requests in one question: each takes from three policies at most, and accounts refuses more than 500. */
const maxBatch = 166;

/**
 * Counts requests for all gateways together. Requests that arrive during a call are counted together in the next call,
 * so that the cost of each falls as the load grows.
 */
@Injectable()
export class Rates {
  private waiting: Pending[] = [];
  private asking = 0;
  private readonly gateway = randomUUID();
  /** Until when accounts has recorded that an account writes through this gateway, by `performance.now()`. */
  private readonly recorded = new LRUCache<string, number>({ max: maxRecorded });

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Takes one from each policy. */
  async take(policies: readonly Policy[]): Promise<readonly PolicyState[]> {
    return (await this.takeFor(undefined, policies)).states;
  }

  /** As `take`. Also records writes through this gateway, and finds those through others (ADR 62). */
  takeFor(access: Access | undefined, policies: readonly Policy[]): Promise<Taken> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ policies, access, resolve, reject });
      if (this.asking === 0) void this.askAll();
    });
  }

  /**
   * Called after a write, before its answer: gateways that read later must know of it. Throws
   * `Refused('store.outcome_unknown')` when accounts cannot be reached.
   */
  async insistOnRecord(accountId: string): Promise<void> {
    if (this.isRecorded(accountId, 0)) return;
    try {
      await this.ask([], { writing: [accountId], reading: [] });
    } catch (error) {
      throw new Refused('store.outcome_unknown', { cause: String(error) });
    }
  }

  private isRecorded(accountId: string, forMs: number): boolean {
    return (this.recorded.get(accountId) ?? 0) - performance.now() > forMs;
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
    const { grants } = await this.ask(policies.map((policy) => ({ ...policy, count })));
    return policies.map((policy, index) => {
      const { remaining = policy.limit, resetSeconds = policy.windowSeconds } = grants[index] ?? {};
      return { ...policy, granted: remaining > 0, remaining, resetSeconds };
    });
  }

  private async askAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, maxBatch);
      this.asking += 1;
      try {
        await this.askFor(batch);
      } catch (error) {
        for (const pending of batch) pending.reject(error);
      } finally {
        this.asking -= 1;
      }
    }
  }

  private async askFor(batch: readonly Pending[]): Promise<void> {
    const takes = new Map<string, Policy & { count: number }>();
    for (const { policies } of batch)
      for (const policy of policies) {
        const take = takes.get(policy.key) ?? { ...policy, count: 0 };
        take.count += 1;
        takes.set(policy.key, take);
      }
    const asked = [...takes.values()];
    const [writing, reading] = [new Set<string>(), new Set<string>()];
    for (const { access } of batch)
      if (access && !access.writes) reading.add(access.accountId);
      else if (access && !this.isRecorded(access.accountId, leastMs)) writing.add(access.accountId);
    const value = await this.ask(asked, { writing: [...writing], reading: [...reading] });
    const left = new Map(value.grants.map((grant, index) => [asked[index]?.key, { ...grant }]));
    for (const { policies, access, resolve } of batch)
      resolve({
        isWrittenElsewhere: value.elsewhere?.includes(access?.accountId ?? '') ?? true,
        states: policies.map((policy) => {
          const grant = left.get(policy.key);
          if (!grant) throw new Error('A policy was not counted');
          const granted = grant.granted > 0;
          // Accounts returns the count after the whole batch; earlier requests of the batch had more left.
          const remaining = grant.remaining + Math.max(0, grant.granted - 1);
          if (granted) grant.granted -= 1;
          return { ...policy, granted, remaining: granted ? remaining : 0, resetSeconds: grant.resetSeconds };
        }),
      });
  }

  private async ask(
    takes: readonly (Policy & { count: number })[],
    accounts?: Omit<AccessThroughGateway, 'gateway'>,
  ): Promise<RatesTaken> {
    const untilMs = performance.now() + recordedMs;
    const { value } = await this.bus.ask(
      Accounts.takeRates,
      {
        takes: takes.map(({ key, limit, windowSeconds, count }) => ({ key, limit, windowSeconds, count })),
        ...(accounts && { access: { gateway: this.gateway, ...accounts } }),
      },
      systemContext('gateway.rates', 2_000),
    );
    // An older release of accounts records nothing.
    if (accounts && value.elsewhere)
      for (const accountId of accounts.writing) this.recorded.set(accountId, untilMs);
    return value;
  }
}
