import { LRUCache } from 'lru-cache';

/**
 * Limits the checks a minute of credentials that were not valid before. The token has 600 requests a minute: made-up
 * passes, sessions or callbacks must not use up the share of visitors with a session.
 */
export class Allowance {
  private since = -Infinity;
  private used = 0;

  constructor(
    private readonly perMinute: number,
    private readonly clock: { now(): number } = performance,
  ) {}

  take(): boolean {
    const now = this.clock.now();
    if (now - this.since >= 60_000) Object.assign(this, { since: now, used: 0 });
    this.used += 1;
    return this.used <= this.perMinute;
  }
}

/** Maximum of keys tracked; beyond it the least recently used key is forgotten. */
const watched = 10_000;

/** An allowance for each key, and one for all: a key with a used-up allowance takes nothing from the others. */
export class SharedAllowance {
  private readonly each: LRUCache<string, Allowance>;
  private readonly all: Allowance;

  constructor(
    private readonly perMinute: { readonly each: number; readonly all: number },
    private readonly clock: { now(): number } = performance,
  ) {
    this.each = new LRUCache({ max: watched });
    this.all = new Allowance(perMinute.all, clock);
  }

  take(who: string): boolean {
    let own = this.each.get(who);
    if (!own) {
      own = new Allowance(this.perMinute.each, this.clock);
      this.each.set(who, own);
    }
    return own.take() && this.all.take();
  }
}
