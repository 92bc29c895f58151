import { Bus } from '@carillon/bus';
import { Refused } from '@carillon/eventing';
import { Clock, setting } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Resolver } from 'node:dns/promises';
import { challengeOf, type Pending } from '../domain';

const tryMs = 2_500;
const tries = 2;
const timeoutMs = tryMs * tries;
/** For so long a resolver that has failed is believed. */
const failedMs = 30_000;
const maxFound = 10;

/** What a resolver says when it has looked and there is nothing. Anything else is a failure of its own. */
const nothingThere: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Signal `sig.domain.failed.teams`: a replica could not look for a domain. Lossy: the next may look once more. */
interface DomainFailedSignal {
  readonly domain: string;
  readonly untilMs: number;
}

/** Looks for the records that prove domains. */
@Injectable()
export class Challenges implements OnModuleInit, OnModuleDestroy {
  private readonly servers = setting('CARILLON_DOMAIN_DNS', '')
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  /** By domain, until when its failure is believed, by business time. */
  private readonly failed = new LRUCache<string, number>({ max: 10_000 });

  private stopListening: () => void = () => {};

  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  onModuleInit(): void {
    this.stopListening = this.bus.onSignal<DomainFailedSignal>('domain.failed', (_, { domain, untilMs }) =>
      this.failed.set(domain, untilMs),
    );
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /**
   * Returns when the record is there. Refused `domain.txt_mismatch` when it is not, which is never kept, or
   * `domain.resolver_error` when nobody could say, which is said again for 30 seconds.
   */
  async find(pending: Pending): Promise<void> {
    const { host, value } = challengeOf(pending);
    const remembered = this.failed.get(pending.domain) ?? 0;
    const leftMs = remembered - this.clock.ms();
    if (leftMs > 0) throw new Refused('domain.resolver_error', { retryAfter: leftMs / 1_000 });
    const found = await this.recordsAt(host).catch(() => {
      const failed: DomainFailedSignal = { domain: pending.domain, untilMs: this.clock.ms() + failedMs };
      this.failed.set(failed.domain, failed.untilMs);
      this.bus.signal('domain.failed', 'teams', failed);
      throw new Refused('domain.resolver_error', { retryAfter: failedMs / 1_000 });
    });
    if (!found.includes(value))
      throw new Refused('domain.txt_mismatch', {
        issues: { host, expected: value, found: found.slice(0, maxFound) },
      });
  }

  /** The texts of its TXT records, each whole; none when there are none. Throws when nobody could say. */
  private async recordsAt(host: string): Promise<string[]> {
    const resolver = new Resolver({ timeout: tryMs, tries });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      return (await resolver.resolveTxt(host)).map((chunks) => chunks.join(''));
    } catch (error) {
      if (error instanceof Error && 'code' in error && nothingThere.has(error.code)) return [];
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
