import type { StoredEvent } from './record';

const MAX_EVENTS = 8192;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The newest committed events in memory, for subscribers that keep up, and the bell that wakes them. A subscriber has
 * only a position, never a queue: one that is slow falls off the tail's start and reads from the disk again.
 */
export class Tail {
  private events: StoredEvent[] = [];
  private bytes = 0;
  private readonly anyone = new Set<() => void>();
  private readonly byStream = new Map<string, Set<() => void>>();

  add(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.bytes += event.bytes.length;
    }
    if (this.events.length <= 2 * MAX_EVENTS && this.bytes <= 2 * MAX_BYTES) return;
    // Dropped in halves, so that an append costs nothing on average.
    let from = Math.max(0, this.events.length - MAX_EVENTS);
    let kept = 0;
    for (let i = from; i < this.events.length; i++) kept += this.events[i]!.bytes.length;
    while (kept > MAX_BYTES && from < this.events.length - 1) kept -= this.events[from++]!.bytes.length;
    this.events = this.events.slice(from);
    this.bytes = kept;
  }

  clear(): void {
    this.events = [];
    this.bytes = 0;
  }

  /** Events from a position on, or undefined when the tail does not reach back that far. */
  forwards(from: number, limit: number): StoredEvent[] | undefined {
    const first = this.events[0];
    if (!first || from < first.position) return undefined;
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle]!.position < from) low = middle + 1;
      else high = middle;
    }
    return this.events.slice(low, low + limit);
  }

  /** Wakes the subscriptions that wait for one of these events. */
  ring(events: readonly StoredEvent[]): void {
    for (const wake of [...this.anyone]) wake();
    if (this.byStream.size === 0) return;
    for (const { stream } of events) {
      const waiters = this.byStream.get(stream);
      if (waiters) for (const wake of [...waiters]) wake();
    }
  }

  /** Resolves at the next commit (of those streams, if any are named), or when `signal` aborts. */
  next(signal: AbortSignal, ...streams: string[]): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.anyone.delete(wake);
        for (const stream of streams) {
          const waiters = this.byStream.get(stream);
          waiters?.delete(wake);
          if (waiters?.size === 0) this.byStream.delete(stream);
        }
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (streams.length === 0) this.anyone.add(wake);
      for (const stream of streams) {
        const waiters = this.byStream.get(stream) ?? new Set();
        this.byStream.set(stream, waiters.add(wake));
      }
      signal.addEventListener('abort', wake);
    });
  }
}
