import { compareTexts } from '@carillon/eventing';
import { randomUUID } from 'node:crypto';
import { type Lease, type Leases, memberPrefix, partitionPrefix } from './leases';
import type { Logger } from './logger';
import { pause } from './runner-parts';

/** How often a process that holds no lease looks for partitions. */
const lookMs = 1_000;

/** The right of this process to apply the events of some partitions. */
export interface Held {
  readonly partitions: ReadonlySet<number>;
  /** Aborted when the set of partitions changes; up to a second late after a freeze of the process, unlike `isOver`. */
  readonly signal: AbortSignal;
  readonly isOver: boolean;
}

/**
 * The partitions of one service that this process applies events of. Each live replica has a lease as a member, takes
 * at most an equal share of the partitions, and hands over the rest when another one joins (ADR 67).
 */
export class Shares {
  /** In order of age. */
  private readonly member = `${memberPrefix}${new Date().toISOString()} ${randomUUID()}`;
  private membership: Lease | undefined;
  private readonly leased = new Map<number, Lease>();
  private held: Held | undefined;
  private ofHeld = new AbortController();
  private news = new AbortController();
  private running: Promise<void> | undefined;
  private balancing: Promise<void> = Promise.resolve();
  private markStarted = (): void => {};
  private readonly started = new Promise<void>((resolve) => (this.markStarted = resolve));

  constructor(
    private readonly leases: Leases,
    private readonly count: number,
    private readonly logger: Logger,
    /** False when this process cannot apply events that another replica may be able to apply. */
    private readonly isFit: () => boolean,
    /** False while the store is silent: then it holds nothing. */
    private readonly hears: () => boolean,
  ) {}

  /** The number of partitions that this process owns. */
  get owned(): number {
    return [...this.leased.values()].filter((lease) => !lease.isOver).length;
  }

  start(stopping: AbortSignal): void {
    this.running ??= this.run(stopping);
  }

  /** What this process holds; undefined without any partition. */
  async current(): Promise<Held | undefined> {
    await this.started;
    if (this.held?.isOver) this.changed();
    return this.held;
  }

  /** Aborted when the partitions that this process owns change. */
  get change(): AbortSignal {
    return this.news.signal;
  }

  /** Hands over all partitions; called when nothing is applied any more. */
  async stop(): Promise<void> {
    await this.running;
    await Promise.all([...this.leased.keys()].map((partition) => this.release(partition)));
    await this.leave();
  }

  private async run(stopping: AbortSignal): Promise<void> {
    let renewed = new AbortController();
    const unlisten = this.leases.onRenewed(() => renewed.abort());
    while (!stopping.aborted) {
      renewed = new AbortController();
      try {
        await this.balance();
      } catch (error) {
        this.logger.warn({ err: error }, 'Failed to share the partitions with other replicas: trying again');
      }
      this.markStarted();
      await pause(lookMs, AbortSignal.any([stopping, renewed.signal]));
    }
    unlisten();
  }

  /** Takes this process's share, or hands over what is above it; nothing is applied meanwhile by what waits for it. */
  balance(): Promise<void> {
    return (this.balancing = this.balancing.catch(() => {}).then(() => this.balanceNow()));
  }

  private async balanceNow(): Promise<void> {
    for (const [partition, lease] of this.leased) if (lease.isOver) this.leased.delete(partition);
    const shared = await this.leases.sharedNames();
    const others = [...shared].filter((name) => name.startsWith(memberPrefix) && name !== this.member);
    if (!this.isFit()) {
      // A replica of a newer release can apply more; without one, some is better than nothing.
      await this.leave();
      await this.take(others.length > 0 ? 0 : this.count, shared);
      return;
    }
    const isMember = this.membership?.isOver === false;
    // One statement takes all of them, so all of them may fail: nobody may be left to wait alone.
    const [joined] = await Promise.all([
      isMember ? this.membership : this.leases.take(this.member, this.hears),
      this.take(this.shareBeside(others), shared),
    ]);
    this.membership = joined;
  }

  /** An equal share; the oldest members have one more each where the number cannot be divided equally. */
  private shareBeside(others: readonly string[]): number {
    const rank = others.filter((name) => compareTexts(name, this.member) < 0).length;
    return Math.floor(this.count / (others.length + 1)) + (rank < this.count % (others.length + 1) ? 1 : 0);
  }

  /** Takes free partitions up to a number, or hands over those above it. */
  private async take(share: number, shared: ReadonlySet<string>): Promise<void> {
    const excess = [...this.leased.keys()].slice(share);
    const free = [...Array(this.count).keys()].filter(
      (partition) => !this.leased.has(partition) && !shared.has(nameOf(partition)),
    );
    const wanted = shuffled(free).slice(0, Math.max(0, share - this.leased.size));
    const taken = await Promise.all(
      wanted.map(
        async (partition) => [partition, await this.leases.take(nameOf(partition), this.hears)] as const,
      ),
    );
    for (const [partition, lease] of taken) {
      if (!lease) continue;
      this.leased.set(partition, lease);
      lease.signal.addEventListener('abort', () => this.changed(), { once: true });
    }
    if (taken.some(([, lease]) => lease)) this.changed();
    await Promise.all(excess.map((partition) => this.release(partition)));
  }

  /** Best effort: without Postgres the lease ends by itself. */
  private async release(partition: number): Promise<void> {
    this.leased.delete(partition);
    await this.leases.release(nameOf(partition)).catch(() => {});
  }

  private async leave(): Promise<void> {
    if (!this.membership) return;
    this.membership = undefined;
    await this.leases.release(this.member).catch(() => {});
  }

  private changed(): void {
    const leases = new Map([...this.leased].filter(([, lease]) => !lease.isOver));
    const before = this.ofHeld;
    this.ofHeld = new AbortController();
    this.held = leases.size === 0 ? undefined : heldOf(leases, this.ofHeld.signal);
    before.abort();
    const { news } = this;
    this.news = new AbortController();
    news.abort();
  }
}

const nameOf = (partition: number): string => `${partitionPrefix}${partition}`;

const heldOf = (leases: ReadonlyMap<number, Lease>, signal: AbortSignal): Held => ({
  partitions: new Set(leases.keys()),
  signal,
  get isOver() {
    return signal.aborted || [...leases.values()].some((lease) => lease.isOver);
  },
});

/** Replicas that look at once try different ones. */
const shuffled = (partitions: readonly number[]): number[] =>
  partitions
    .map((partition) => [Math.random(), partition] as const)
    .sort(([one], [other]) => one - other)
    .map(([, partition]) => partition);
