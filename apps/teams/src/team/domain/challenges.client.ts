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
/** How long a resolver failure is cached. */
const failedMs = 30_000;
const maxFound = 10;

/** Resolver errors that mean that no record exists. Any other error is a resolver failure. */
const nothingThere: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Signal `sig.domain.failed.teams`: a replica's lookup of a domain failed. Lossy: others may look it up again. */
interface DomainFailedSignal {
  readonly domain: string;
  readonly untilMs: number;
}

/** Looks up the DNS records that prove domains. */
@Injectable()
export class Challenges implements OnModuleInit, OnModuleDestroy {
  private readonly servers = setting('CARILLON_DOMAIN_DNS', '')
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  /** The end of the cached failure by domain, in business time. */
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
   * Returns if the record exists. Refused `domain.txt_mismatch` if not, which is never cached, or
   * `domain.resolver_error` after a resolver failure, which is cached for 30 seconds.
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

  /** The joined text of each TXT record of the host. Throws on a resolver failure. */
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
