import type { Recorded } from '@carillon/eventing';
import { wakes } from '@carillon/metrics';

export interface FeedPage {
  /** Shared by all consumers: never to be changed. */
  readonly events: readonly Recorded[];
  /** All events up to here have been given. */
  readonly position: bigint;
}

/** How the next page is asked for. */
export interface PageRequest {
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Hears of a page out of the ring in the moment when it is taken, and whether that was all there is. */
  readonly taken?: (position: bigint, isAll: boolean) => void;
}

/** What is followed. */
interface FollowerState {
  readonly position: bigint;
  readonly closed: boolean;
  next(after: bigint, max: number, asking: PageRequest): Promise<FeedPage>;
}

/** A consumer of the log that is woken only for events that it wants. What lies between them costs it nothing. */
export class Follower {
  /** An event that it wants may stand after what it was given. */
  private isDue = true;
  private given: bigint;
  private applied: bigint;
  private wake = (): void => {};

  /** `Feed.follow` makes one. */
  constructor(
    private readonly feed: FollowerState,
    from: bigint,
    private readonly wants: (recorded: Recorded) => boolean,
  ) {
    this.given = from;
    this.applied = from;
  }

  /** It has applied all that it wants up to here. */
  get position(): bigint {
    const { position } = this.feed;
    const isIdle = !this.isDue && this.applied === this.given;
    return isIdle && position > this.applied ? position : this.applied;
  }

  /** What comes next, at most `max` events, as soon as there is one that it wants. Empty when the signal aborts. */
  async next(max: number, signal: AbortSignal): Promise<FeedPage> {
    while (!this.isDue && !signal.aborted && !this.feed.closed) await this.due(signal);
    const page = await this.feed.next(this.given, max, {
      signal,
      // At once: what is given and not applied yet must never look as if nothing were to be done.
      taken: (position, isAll) => {
        this.given = position;
        this.isDue = !isAll;
      },
    });
    this.given = page.position;
    return page;
  }

  /** What it was given up to here is applied. */
  did(position: bigint): void {
    this.applied = position;
  }

  /** For the feed: new events, and up to where it had given all before. */
  hear(events: readonly Recorded[], before: bigint): void {
    if (this.isDue || !events.some(this.wants)) return;
    // It need not look at what it did not want.
    if (this.applied === this.given && before > this.given) this.given = this.applied = before;
    this.isDue = true;
    wakes.inc();
    this.wake();
  }

  /** For the feed, which ends. */
  end(): void {
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
