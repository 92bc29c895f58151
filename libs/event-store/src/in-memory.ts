import { instant } from '@carillon/eventing';
import {
  type Appended,
  type EventStore,
  type Expected,
  type Listener,
  type LogBatch,
  type NewEvent,
  type RawEvent,
  type Subscription,
  insistOnEvents,
  StoreRefused,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';
import { categoryOf } from './selection';

interface Stream {
  readonly events: RawEvent[];
  /** Events before this revision are hidden from readers. */
  from: bigint;
  deleted: boolean;
  /** Deleted for ever. */
  ended?: boolean;
  maxCount?: number;
}

/** Positions in a real log are offsets with gaps: no caller may rely on a step of one. */
const step = 64n;

/** The event store without a server, for unit tests: same contract, nothing on disk. */
export function inMemoryEventStore(nowMs: () => number = Date.now): EventStore {
  return new InMemoryEventStore(nowMs);
}

class InMemoryEventStore implements EventStore {
  private readonly streams = new Map<string, Stream>();
  private readonly log: RawEvent[] = [];
  private readonly listeners = new Set<() => void>();
  private last = 0n;

  constructor(private readonly nowMs: () => number) {}

  async append(stream: string, events: readonly NewEvent[], expected: Expected): Promise<Appended> {
    insistOnEvents(events);
    const found = this.streams.get(stream) ?? { events: [], from: 0n, deleted: false };
    if (found.ended) throw new StreamDeleted(stream);
    const current = BigInt(found.events.length) - 1n;
    const wanted = expected === 'no_stream' ? -1n : expected;
    const asNew = expected === 'no_stream' && found.deleted;
    if (wanted === 'any' || (wanted < current && !asNew)) {
      const before = this.repeated(found, events, wanted);
      if (before) return before;
      if (wanted !== 'any') throw new WrongExpectedRevision(stream, expected);
    } else if (wanted !== current && !asNew) throw new WrongExpectedRevision(stream, expected);
    if (found.deleted && events.length > 0) {
      found.from = current + 1n;
      found.deleted = false;
    }
    this.streams.set(stream, found);
    for (const event of events) {
      const recorded: RawEvent = {
        id: event.id,
        type: event.type,
        stream,
        revision: BigInt(found.events.length),
        position: (this.last += step),
        at: instant(this.nowMs()),
        data: JSON.parse(JSON.stringify(event.data)),
        metadata: JSON.parse(JSON.stringify(event.metadata)),
      };
      found.events.push(recorded);
      this.log.push(recorded);
    }
    this.wake();
    return {
      revision: BigInt(found.events.length) - 1n,
      position: found.events.at(-1)?.position ?? this.last,
    };
  }

  async read(stream: string, from = 0n, count = Infinity): Promise<RawEvent[]> {
    const found = this.streams.get(stream);
    if (found?.ended) throw new StreamDeleted(stream);
    if (!found || found.deleted) return [];
    const first = firstKept(found);
    const start = Number(from > first ? from : first);
    return found.events.slice(start, start + count);
  }

  async readLast(stream: string): Promise<RawEvent | undefined> {
    return (await this.read(stream)).at(-1);
  }

  async readAll(after: bigint | undefined, count: number): Promise<LogBatch> {
    // As a real server: a read must begin at the position of an event.
    if ((after ?? 0n) % step !== 0n) throw new StoreRefused('read $all', 'unknown', 2, undefined);
    const start = indexAfter(this.log, after ?? 0n);
    const events = this.log.slice(start, start + count);
    const end = start + count >= this.log.length;
    const last = end && this.last > (after ?? 0n) ? this.last : events.at(-1)?.position;
    return { events: events.filter((event) => this.isKept(event)), last, end };
  }

  async readAllBackwards(before: bigint | undefined, count: number): Promise<LogBatch> {
    const stop = before === undefined ? this.log.length : indexAfter(this.log, before - 1n);
    const start = Math.max(0, stop - count);
    const events = this.log.slice(start, stop).reverse();
    const last = events.at(-1)?.position;
    return { events: events.filter((event) => this.isKept(event)), last, end: start === 0 };
  }

  async head(): Promise<bigint> {
    return this.log.at(-1)?.position ?? 0n;
  }

  subscribe(after: bigint, listener: Listener, categories?: readonly string[]): Subscription {
    let given = after;
    let told = after;
    let waiting = false;
    let open = true;
    let paused = false;
    const deliver = (): void => {
      waiting = false;
      const upTo = this.last;
      for (let index = indexAfter(this.log, given); open && !paused && index < this.log.length; index += 1) {
        const event = this.log[index]!;
        given = event.position;
        if (categories && !categories.includes(categoryOf(event.stream))) continue;
        told = given;
        listener.event(event);
      }
      if (!open || paused) return;
      if (upTo > given) given = upTo;
      if (given > told) listener.position((told = given));
    };
    const wake = (): void => {
      if (waiting) return;
      waiting = true;
      setImmediate(deliver);
    };
    this.listeners.add(wake);
    wake();
    return {
      pause: () => {
        paused = true;
      },
      resume: () => {
        paused = false;
        wake();
      },
      close: async () => {
        open = false;
        this.listeners.delete(wake);
      },
    };
  }

  async delete(stream: string): Promise<void> {
    const found = this.streams.get(stream);
    if (!found || found.deleted) return;
    found.deleted = true;
    this.happened();
  }

  async deleteForEver(stream: string, revision: bigint): Promise<boolean> {
    const found = this.streams.get(stream);
    if (found?.ended) return true;
    if (!found || BigInt(found.events.length) - 1n !== revision) return false;
    found.deleted = found.ended = true;
    this.happened();
    return true;
  }

  async setMaxCount(stream: string, count: number): Promise<void> {
    const found = this.streams.get(stream) ?? { events: [], from: 0n, deleted: false };
    if (found.deleted) throw new StreamDeleted(stream);
    if (found.maxCount === count) return;
    found.maxCount = count;
    this.streams.set(stream, found);
    this.happened();
  }

  async truncateBefore(stream: string, revision: bigint): Promise<void> {
    const found = this.streams.get(stream) ?? { events: [], from: 0n, deleted: false };
    if (found.deleted) throw new StreamDeleted(stream);
    if (revision <= found.from) return;
    found.from = revision;
    this.streams.set(stream, found);
    this.happened();
  }

  async close(): Promise<void> {
    this.listeners.clear();
  }

  /** A system event of a real log has a position too. */
  private happened(): void {
    this.last += step;
    this.wake();
  }

  private wake(): void {
    for (const listener of this.listeners) listener();
  }

  private isKept(event: RawEvent): boolean {
    const found = this.streams.get(event.stream)!;
    return !found.deleted && event.revision >= firstKept(found);
  }

  /** The earlier append, when exactly these events are already stored. */
  private repeated(
    found: Stream,
    events: readonly NewEvent[],
    expected: 'any' | bigint,
  ): Appended | undefined {
    const first = events[0];
    if (!first) return undefined;
    const start =
      expected === 'any' ? found.events.findIndex((event) => event.id === first.id) : Number(expected) + 1;
    if (start < 0) return undefined;
    const before = found.events.slice(start, start + events.length);
    if (before.length < events.length || before.some((event, index) => event.id !== events[index]!.id))
      return undefined;
    const last = before.at(-1)!;
    return { revision: last.revision, position: last.position };
  }
}

const firstKept = ({ events, from, maxCount }: Stream): bigint => {
  const byCount = maxCount === undefined ? 0n : BigInt(events.length - Math.min(maxCount, events.length));
  return byCount > from ? byCount : from;
};

/** The index of the first event after a position. */
function indexAfter(log: readonly RawEvent[], position: bigint): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (log[middle]!.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
