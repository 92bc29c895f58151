import { LRUCache } from 'lru-cache';

/** A request under way, by those who share the places. */
export interface Placed {
  readonly webhook_id: string;
  readonly account_id: string;
  readonly host: string;
}

/**
 * Maximum concurrent requests, so that neither a slow endpoint, nor an account with many, nor a host with many accounts
 * takes the whole capacity. An endpoint and an account get more, up to `most`, while the receivers answer fast.
 */
export const least = { toEndpoint: 4, ofAccount: 16 };
export const most = { toEndpoint: 32, ofAccount: 64, toHost: 64 };

/** An attempt that fails or takes longer than this halves the places. */
const fastMs = 1_000;
const remembered = 1_000;

/** How many requests an endpoint or an account may have at once, beyond the least. */
class Growing {
  /** Only those that have more than the least. */
  private readonly places = new LRUCache<string, number>({ max: remembered });

  constructor(
    private readonly least: number,
    private readonly most: number,
  ) {}

  of(id: string): number {
    return this.places.get(id) ?? this.least;
  }

  record(id: string, isFast: boolean): void {
    const places = isFast ? Math.min(this.most, this.of(id) + 1) : Math.floor(this.of(id) / 2);
    if (places > this.least) this.places.set(id, places);
    else this.places.delete(id);
  }

  get more(): readonly (readonly [string, number])[] {
    return [...this.places.entries()];
  }
}

/** The limits by what this process has seen of the receivers. */
export class Places {
  readonly toEndpoint = new Growing(least.toEndpoint, most.toEndpoint);
  readonly ofAccount = new Growing(least.ofAccount, most.ofAccount);

  /** Records how long an attempt took; undefined for one that failed. */
  record({ webhook_id, account_id }: Placed, deliveredMs: number | undefined): void {
    const isFast = deliveredMs !== undefined && deliveredMs <= fastMs;
    this.toEndpoint.record(webhook_id, isFast);
    this.ofAccount.record(account_id, isFast);
  }
}

/** What a request takes a place of: its endpoint, its account and its host. */
export const placesOf = ({ webhook_id, account_id, host }: Placed): readonly string[] => [
  `to ${webhook_id}`,
  `of ${account_id}`,
  `at ${host}`,
];

/** The requests under way, and whether there is a place for one more. */
export class Busy {
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly places: Places,
    jobs: Iterable<Placed>,
  ) {
    for (const job of jobs) this.add(job);
  }

  add(job: Placed): void {
    for (const key of [...placesOf(job), `${job.account_id} at ${job.host}`])
      this.counts.set(key, this.count(key) + 1);
  }

  hasPlaceFor(job: Placed): boolean {
    return this.lacking(job).length === 0;
  }

  /**
   * The places, of those that a request takes (`placesOf`), of which there is none for one more. An account gets no
   * further request at a host when it has as many there as the host has left, so that a few accounts cannot fill a
   * host, however slow they are.
   */
  lacking({ webhook_id, account_id, host }: Placed): readonly string[] {
    const left = most.toHost - this.count(`at ${host}`);
    return [
      ...(this.count(`to ${webhook_id}`) < this.places.toEndpoint.of(webhook_id) ? [] : [`to ${webhook_id}`]),
      ...(this.count(`of ${account_id}`) < this.places.ofAccount.of(account_id) ? [] : [`of ${account_id}`]),
      ...(this.count(`${account_id} at ${host}`) < left ? [] : [`at ${host}`]),
    ];
  }

  private count(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}
