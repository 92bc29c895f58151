import type { Recorded } from '@carillon/eventing';
import { wakes } from '@carillon/metrics';

export interface FeedBatch {
  /** Shared by all consumers: must not be changed. */
  readonly events: readonly Recorded[];
  /** All events up to this position have been delivered. */
  readonly position: bigint;
}

/** Options for the next batch. */
export interface BatchRequest {
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called synchronously when a batch is taken from the ring; `isAll`: no more events follow. */
  readonly taken?: (position: bigint, isAll: boolean) => void;
}

/** The followed feed. */
interface FollowerState {
  readonly position: bigint;
  readonly closed: boolean;
  next(after: bigint, max: number, asking: BatchRequest): Promise<FeedBatch>;
}

/** A consumer of the log that is woken only for events that it wants. Other events cost it nothing (ADR 40). */
export class Follower {
  /** A wanted event may follow the last delivered batch. */
  private isDue = true;
  private given: bigint;
  private applied: bigint;
  private wake = (): void => {};

  /** Use `Feed.follow`. */
  constructor(
    private readonly feed: FollowerState,
    from: bigint,
    private readonly wants: (recorded: Recorded) => boolean,
  ) {
    this.given = from;
    this.applied = from;
  }

  /** All wanted events up to this position are applied. */
  get position(): bigint {
    const { position } = this.feed;
    const isIdle = !this.isDue && this.applied === this.given;
    return isIdle && position > this.applied ? position : this.applied;
  }

  /** The next batch, at most `max` events, as soon as a wanted event may follow. Empty when the signal aborts. */
  async next(max: number, signal: AbortSignal): Promise<FeedBatch> {
    while (!this.isDue && !signal.aborted && !this.feed.closed) await this.due(signal);
    const batch = await this.feed.next(this.given, max, {
      signal,
      // Set synchronously: with delivered but unapplied events the follower must never look idle.
      taken: (position, isAll) => {
        this.given = position;
        this.isDue = !isAll;
      },
    });
    this.given = batch.position;
    return batch;
  }

  /** Records that all delivered events up to this position are applied. */
  ack(position: bigint): void {
    this.applied = position;
  }

  /** For the feed: new events, and the position of the feed before them. */
  notify(events: readonly Recorded[], before: bigint): void {
    if (this.isDue || !events.some(this.wants)) return;
    // Skips the events before, of which it wanted none.
    if (this.applied === this.given && before > this.given) this.given = this.applied = before;
    this.isDue = true;
    wakes.inc();
    this.wake();
  }

  /** For the feed: wakes the follower when the feed closes. */
  close(): void {
    this.wake();
  }

  private due(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.wake = (): void => {
        signal.removeEventListener('abort', this.wake);
        this.wake = () => {};
        resolve();
      };
      signal.addEventListener('abort', this.wake, { once: true });
    });
  }
}
