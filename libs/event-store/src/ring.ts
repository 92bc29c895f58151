import type { Recorded } from '@carillon/eventing';

/** The approximate size of an event without its texts: its ids, its metadata, its objects. */
const defaultBytes = 1_000;

/** The newest events of the log, up to a maximum number of events and a maximum number of bytes. */
export class Ring {
  private events: Recorded[] = [];
  private weights: number[] = [];
  private bytes = 0;

  constructor(
    private readonly maxEvents = 10_000,
    private readonly maxBytes = 32 * 1024 * 1024,
  ) {}

  get size(): number {
    return this.events.length;
  }

  clear(): void {
    this.events = [];
    this.weights = [];
    this.bytes = 0;
  }

  /** Adds the next events; returns the position up to which events were evicted, if any were. */
  add(events: readonly Recorded[]): bigint | undefined {
    for (const event of events) {
      const weight = defaultBytes + textBytes(event.event);
      this.events.push(event);
      this.weights.push(weight);
      this.bytes += weight;
    }
    // Cut rarely: moving the array for every event would cost more than the memory.
    if (this.events.length <= this.maxEvents * 1.25 && this.bytes <= this.maxBytes * 1.25) return undefined;
    let cut = 0;
    while (this.events.length - cut > this.maxEvents || this.bytes > this.maxBytes) {
      this.bytes -= this.weights[cut]!;
      cut += 1;
    }
    const floor = this.events[cut - 1]!.position;
    this.events = this.events.slice(cut);
    this.weights = this.weights.slice(cut);
    return floor;
  }

  /** At most `max` events after a position, and whether no more follow. */
  after(position: bigint, max: number): { events: Recorded[]; isAll: boolean } {
    const start = indexAfter(this.events, position);
    return { events: this.events.slice(start, start + max), isAll: start + max >= this.events.length };
  }

  /** The number of events after a position, and the first of them. */
  countAfter(position: bigint): { count: number; first: Recorded | undefined } {
    const start = indexAfter(this.events, position);
    return { count: this.events.length - start, first: this.events[start] };
  }

  /** Whether any event after a position matches. */
  some(position: bigint, is: (recorded: Recorded) => boolean): boolean {
    for (let index = indexAfter(this.events, position); index < this.events.length; index += 1)
      if (is(this.events[index]!)) return true;
    return false;
  }
}

/** The bytes of all texts in a value, at two bytes per code unit, the most that most texts take. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * 2;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  for (const part of Array.isArray(value) ? value : Object.values(value)) bytes += textBytes(part);
  return bytes;
}

function indexAfter(events: readonly Recorded[], position: bigint): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
