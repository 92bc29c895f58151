import type { EventStore } from './event-store';
import { SharedCalls } from './shared-calls';

/** Reads the position of the newest event. Calls that arrive during a read share the next one. */
export class Newest {
  private readonly reads = new SharedCalls<bigint>();

  constructor(private readonly store: Pick<EventStore, 'head'>) {}

  /** The position of the newest event at the time of the call, or of a later one. */
  position(): Promise<bigint> {
    return this.reads.share('head', () => this.store.head());
  }
}
