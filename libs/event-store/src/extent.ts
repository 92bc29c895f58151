import { millis } from '@carillon/eventing';
import { type EventStore, type RawEvent, StoreRefused } from './event-store';

/** The batch size when reading to the log's end. */
const endBatchSize = 500;

/** The end and the positions of a log while it is certainly the same log; cached for all projections that compare. */
export class Extent {
  private known = 0n;
  private looking: Promise<bigint> | undefined;
  private readonly positions = new Map<bigint, Promise<boolean>>();

  constructor(private readonly store: EventStore) {}

  /** The end of the log, or a cached lower bound if that is not before `atLeast`. */
  async end(atLeast: bigint): Promise<bigint> {
    if (this.known < atLeast) await this.look();
    // The first read may have been under way already, and so too early.
    if (this.known < atLeast) await this.look();
    return this.known;
  }

  /** Whether the log has an event at this position: the store refuses to read from any other position. */
  has(position: bigint): Promise<boolean> {
    let has = this.positions.get(position);
    if (!has) {
      this.positions.set(position, (has = isPositionOf(this.store, position)));
      has.catch(() => this.positions.delete(position));
    }
    return has;
  }

  /**
   * The position that the newest events follow: those since a time, and no more of them than `most` that count. 0 when
   * the log has no event before them.
   */
  async beforeNewest(newest: {
    readonly sinceMs: number;
    readonly most: number;
    readonly counts: (event: RawEvent) => boolean;
    readonly signal: AbortSignal;
  }): Promise<bigint> {
    let [at, left]: [bigint | undefined, number] = [undefined, newest.most];
    for (;;) {
      newest.signal.throwIfAborted();
      const { events, last, end } = await this.store.readAllBackwards(at, endBatchSize);
      for (const event of events) {
        if (millis(event.at) < newest.sinceMs || left <= 0) return event.position;
        if (newest.counts(event)) left -= 1;
      }
      if (end || last === undefined) return 0n;
      at = last;
    }
  }

  private async look(): Promise<void> {
    this.looking ??= endOf(this.store).finally(() => (this.looking = undefined));
    this.known = await this.looking;
  }
}

/** The last position in the log, system events included. */
async function endOf(store: EventStore): Promise<bigint> {
  for (let at = await store.head(); ;) {
    const { last, end } = await store.readAll(at === 0n ? undefined : at, endBatchSize);
    at = last ?? at;
    if (end || last === undefined) return at;
  }
}

async function isPositionOf(store: EventStore, position: bigint): Promise<boolean> {
  try {
    await store.readAll(position, 1);
    return true;
  } catch (error) {
    if (error instanceof StoreRefused) return false;
    throw error;
  }
}
