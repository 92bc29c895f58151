import type { EventStore } from './event-store';

/** Reads the position of the newest event. Calls that arrive during a read share the next one. */
export class Newest {
  private reading: Promise<unknown> = Promise.resolve();
  private next: Promise<bigint> | undefined;

  constructor(private readonly store: Pick<EventStore, 'head'>) {}

  /** The position of the newest event at the time of the call, or of a later one. */
  position(): Promise<bigint> {
    this.next ??= this.reading
      .catch(() => {})
      .then(() => {
        this.next = undefined;
        const reading = this.store.head();
        this.reading = reading;
        return reading;
      });
    return this.next;
  }
}
