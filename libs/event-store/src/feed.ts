import type { EventMetadata, Recorded } from '@carillon/eventing';
import { LRUCache } from 'lru-cache';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, RawEvent, Subscription } from './event-store';
import { Extent } from './extent';
import { type BatchRequest, type FeedBatch, Follower } from './follower';
import type { Log } from './log';
import type { Logger } from './logger';
import { categoryOf } from './selection';
import { Ring } from './ring';

const firstBackoffMs = 100;
const maxBackoffMs = 5_000;
/** A subscription that lasted this long resets the backoff. */
const goodMs = 5_000;
/** At most so many events wait to be decrypted; then the subscription pauses. */
const maxIncoming = 5_000;
/** So many are decrypted at once: more would hold up the event loop. */
const batchSize = 500;

/** How often a filtered subscription that brings nothing is followed by a look at the log. */
const lookMs = 1_000;
/** After so many looks in a row that brought nothing, not even that there is nothing new, the store is silent. */
const silentLooks = 4;

/** The category of the events that this process must always see: the keys of deleted accounts are dropped. */
const always = ['account'];

/** Whether a consumer may want the events of a type, known before they are decrypted. */
export type WantsType = (category: string, type: string) => boolean;

export interface WantOptions {
  /** The categories of all events that it may want; any when left out. */
  readonly categories?: readonly string[];
  /** Whether it reads an event now; otherwise it needs to know only that there is one. */
  readonly reads?: (event: RawEvent) => boolean;
}

interface Wish extends WantOptions {
  readonly wants: WantsType;
}

/** A consumer wants events that the subscription leaves out. */
class Refilter extends Error {
  override readonly name = 'Refilter';
}

const feeds = new WeakMap<Log, Feed>();

/**
 * The events of the log that the consumers of this process want, read and decrypted once for all of them. The store
 * leaves out the categories that nobody wants; events that nobody reads now are not decrypted. Holds the newest events
 * in a ring; consumers further behind get batches from the store (ADR 4).
 */
export class Feed {
  private readonly ring = new Ring();
  /** Events up to this position are not in the ring. Undefined until the first connection. */
  private floor: bigint | undefined;
  private known = 0n;
  private start: bigint | undefined;
  private markBegun = (): void => {};
  /** Resolves with the first connection, from when on `origin` is known. */
  readonly begun = new Promise<void>((resolve) => (this.markBegun = resolve));
  private lost: { readonly sinceMs: number; readonly error: unknown } | undefined;
  /**
   * The log's extent as far as known; forgotten after a lost subscription, since the store may then have another log.
   */
  extent: Extent;
  /** The position up to which the store has delivered events. */
  private received = 0n;
  private incoming: (RawEvent | bigint)[] = [];
  private opening = false;
  private readonly waiting = new Set<() => void>();
  private readonly followers = new Set<Follower>();
  private readonly onlookers = new Set<() => void>();
  private readonly listeners = new Set<(recorded: Recorded) => void>();
  private readonly wanted = new Set<Wish>();
  /** The wishes for a type, by category and type. */
  private readonly wishesFor = new Map<string, readonly Wish[]>();
  /** How many times a consumer has begun to want or to read events. */
  private changes = 0;
  /** The categories that the subscription delivers; all when undefined. */
  private delivered: ReadonlySet<string> | undefined;
  private looking: Promise<void> | undefined;
  private receivedAtLook = 0n;
  private looksSinceHeard = 0;
  private readonly looks: NodeJS.Timeout;
  private readonly batches = new LRUCache<string, Promise<FeedBatch>>({ max: 16 });
  private readonly closing = new AbortController();
  private subscription: Subscription | undefined;
  private unfollow: (why: Error) => void = () => {};
  private readonly running: Promise<void>;

  /** Use `Feed.of`, which returns the one feed per log. */
  constructor(
    private readonly log: Log,
    private readonly logger: Logger | undefined,
  ) {
    this.extent = new Extent(log.store);
    this.running = this.run();
    this.looks = setInterval(() => this.lookWhenIdle(), lookMs).unref();
  }

  /** The one feed of this log. */
  static of(log: Log, logger?: Logger): Feed {
    let feed = feeds.get(log);
    if (!feed || feed.closed) feeds.set(log, (feed = new Feed(log, logger)));
    return feed;
  }

  /** All events up to this position are known to this process. */
  get position(): bigint {
    return this.known;
  }

  /** The end of the log when this process first connected. Undefined until then. */
  get origin(): bigint | undefined {
    return this.start;
  }

  /** Since when the feed cannot follow the log, by `performance.now()`, and why. Undefined while it can. */
  get outage(): { readonly sinceMs: number; readonly error: unknown } | undefined {
    return this.lost;
  }

  /**
   * False once the store has been silent for four seconds, in which this process ran: it may be cut off alone. It gives
   * up what another process could do meanwhile (ADR 83).
   */
  get hears(): boolean {
    return this.looksSinceHeard <= silentLooks;
  }

  get closed(): boolean {
    return this.closing.signal.aborted;
  }

  /**
   * The events after a position, at most `max`, in order. Waits for new events; the batch is empty when `waitMs` have
   * passed or the signal aborts.
   */
  async next(after: bigint, max: number, { waitMs, signal, taken }: BatchRequest = {}): Promise<FeedBatch> {
    const until = waitMs === undefined ? Infinity : Date.now() + waitMs;
    for (;;) {
      if (signal?.aborted || this.closed) return { events: [], position: after };
      if (this.floor !== undefined && after < this.floor) return this.cachedBatch(after, max);
      if (this.floor !== undefined && this.known > after) return this.fromRing(after, max, taken);
      if (Date.now() >= until) return { events: [], position: after };
      await this.news(until, signal);
    }
  }

  /**
   * Delivers the events of these types from now on, until the returned function is called. Call it before `follow`,
   * `next` and `onEvent`: they give events that somebody wants.
   */
  want(wants: WantsType, options: WantOptions = {}): () => void {
    const wish = { wants, ...options };
    this.wanted.add(wish);
    this.reread();
    const { delivered } = this;
    if (delivered && (wish.categories?.some((category) => !delivered.has(category)) ?? true)) {
      // Nothing more is received until the next subscription, which delivers these categories too.
      void this.subscription?.close();
      this.unfollow(new Refilter());
    }
    return () => {
      this.wanted.delete(wish);
      this.wishesFor.clear();
    };
  }

  /** Called before a consumer reads events that it has not read before: they are read from the store. */
  reread(): void {
    this.wishesFor.clear();
    this.changes += 1;
    this.ring.clear();
    this.batches.clear();
    if (this.floor !== undefined) this.floor = this.received;
  }

  /** A consumer that continues after this position and is woken for the events that it wants, until `remove`. */
  follow(from: bigint, wants: (recorded: Recorded) => boolean): Follower {
    const follower = new Follower(this, from, wants);
    this.followers.add(follower);
    return follower;
  }

  remove(follower: Follower): void {
    this.followers.delete(follower);
  }

  /**
   * True when no wanted event follows a position, up to the newest known one. False when the ring does not reach back
   * to the position.
   */
  hasNoneOf(wants: (recorded: Recorded) => boolean, after: bigint): boolean {
    if (this.floor === undefined || after < this.floor || after > this.known) return false;
    return !this.ring.some(after, wants);
  }

  /**
   * The number of events after a position, and the first of them; undefined when the ring does not reach back so far.
   */
  countAfter(position: bigint): { readonly count: number; readonly first: Recorded | undefined } | undefined {
    return this.floor === undefined || position < this.floor ? undefined : this.ring.countAfter(position);
  }

  /** Calls back whenever more of the log is known, until the returned function is called. */
  onMove(onlooker: () => void): () => void {
    this.onlookers.add(onlooker);
    return () => this.onlookers.delete(onlooker);
  }

  /** Calls back for every new event, before any consumer gets it, until the returned function is called. */
  onEvent(listener: (recorded: Recorded) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Whether the store delivers some categories only. Then it tells the positions of other events late, and who waits
   * for one calls `look`.
   */
  get isFiltered(): boolean {
    return this.delivered !== undefined;
  }

  /** Reads the log up to its end, where the subscription is filtered. Calls share a look that is under way. */
  look(): Promise<void> {
    return this.isFiltered ? this.lookOnce() : Promise.resolve();
  }

  private lookOnce(): Promise<void> {
    return (this.looking ??= this.lookNow().finally(() => (this.looking = undefined)));
  }

  private async lookNow(): Promise<void> {
    for (let isEnd = false; !isEnd && !this.closed && this.incoming.length < maxIncoming;) {
      const { subscription } = this;
      const { events, last, end } = await this.log.store.readAll(this.received, batchSize);
      this.looksSinceHeard = 0;
      // After an outage the store may have another log.
      if (subscription !== this.subscription || this.lost) return;
      for (const event of events) this.receive(event.position, event);
      if (last !== undefined) this.receive(last, last);
      isEnd = end;
    }
  }

  /** So that positions are two seconds late at most, also where nobody waits, and that a silent store is noticed. */
  private lookWhenIdle(): void {
    const isIdle = this.received === this.receivedAtLook;
    this.receivedAtLook = this.received;
    // What has come and cannot be decrypted yet may hold up the rest.
    if (this.incoming.length >= maxIncoming) this.looksSinceHeard = 0;
    else this.looksSinceHeard += 1;
    if (isIdle && this.floor !== undefined && !this.lost) this.lookOnce().catch(() => {});
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.looks);
    this.wake();
    for (const follower of this.followers) follower.close();
    this.unfollow(new Error('closed'));
    await this.subscription?.close();
    await this.running;
  }

  private fromRing(after: bigint, max: number, taken: BatchRequest['taken']): FeedBatch {
    const { events, isAll } = this.ring.after(after, max);
    const position = isAll ? this.known : events.at(-1)!.position;
    taken?.(position, isAll);
    return { events, position };
  }

  /** Consumers at the same position, such as the start, share the batch. */
  private cachedBatch(after: bigint, max: number): Promise<FeedBatch> {
    const key = `${after} ${max}`;
    let batch = this.batches.get(key);
    if (!batch) {
      batch = this.readBatch(after, max);
      this.batches.set(key, batch);
      batch.catch(() => this.batches.delete(key));
    }
    return batch;
  }

  private async readBatch(after: bigint, max: number): Promise<FeedBatch> {
    const { floor = 0n } = this;
    const { events, last = after, end } = await this.log.store.readAll(after, max);
    return { events: await this.open(events), position: end && last < floor ? floor : last };
  }

  private wishesOf({ stream, type }: RawEvent): readonly Wish[] {
    const category = categoryOf(stream);
    const key = `${category} ${type}`;
    let wishes = this.wishesFor.get(key);
    if (!wishes) {
      wishes = [...this.wanted].filter(({ wants }) => wants(category, type));
      this.wishesFor.set(key, wishes);
    }
    return wishes;
  }

  /** The wanted events, decrypted where a consumer reads them; again when one has begun to read others meanwhile. */
  private async open(events: readonly RawEvent[]): Promise<Recorded[]> {
    for (;;) {
      const { changes } = this;
      const isRead = (event: RawEvent): boolean =>
        this.wishesOf(event).some(({ reads }) => reads?.(event) ?? true);
      const opened = await this.log.open(events, isRead);
      if (changes !== this.changes) continue;
      const read = new Map(opened.map((recorded) => [recorded.position, recorded]));
      return events.flatMap((event) => {
        if (this.wishesOf(event).length === 0) return [];
        return [read.get(event.position) ?? unread(event)];
      });
    }
  }

  private news(until: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.waiting.delete(done);
        signal?.removeEventListener('abort', done);
        clearTimeout(timer);
        resolve();
      };
      const timer = until === Infinity ? undefined : setTimeout(done, Math.max(1, until - Date.now()));
      signal?.addEventListener('abort', done, { once: true });
      this.waiting.add(done);
    });
  }

  private wake(): void {
    for (const wake of [...this.waiting]) wake();
  }

  /** Subscribes, and after every loss subscribes again from the last received position. */
  private async run(): Promise<void> {
    const { store } = this.log;
    let backoffMs = firstBackoffMs;
    while (!this.closed) {
      const began = Date.now();
      try {
        await this.subscribed(store);
      } catch (error) {
        if (this.closed) return;
        if (error instanceof Refilter) {
          // What wants more in the same turn shares the next subscription.
          await nextTurn();
          continue;
        }
        this.extent = new Extent(store);
        this.lost ??= { sinceMs: performance.now(), error };
        this.logger?.warn(
          { err: error, position: String(this.received) },
          'The subscription to the event store failed: subscribing again',
        );
      }
      if (Date.now() - began > goodMs) backoffMs = firstBackoffMs;
      await sleep(backoffMs, undefined, { signal: this.closing.signal }).catch(() => {});
      backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
    }
  }

  /** Follows the log until the subscription ends. */
  private async subscribed(store: EventStore): Promise<void> {
    if (this.floor === undefined) {
      this.received = await store.head();
      this.known = this.received;
      this.floor = this.received;
      this.start = this.received;
      this.markBegun();
      this.wake();
    } else if (this.lost) await store.head();
    this.looksSinceHeard = 0;
    this.lost = undefined;
    if (this.closed) return;
    const categories = this.wantedCategories();
    this.delivered = categories && new Set(categories);
    await new Promise<void>((_, reject) => {
      this.unfollow = reject;
      const listener = {
        event: (event: RawEvent) => this.receive(event.position, event),
        position: (position: bigint) => this.receive(position, position),
        dropped: reject,
      };
      this.subscription = store.subscribe(this.received, listener, categories);
    });
  }

  /** The categories of all wishes; undefined when one is for any category. */
  private wantedCategories(): string[] | undefined {
    const found = new Set(always);
    for (const { categories } of this.wanted) {
      if (!categories) return undefined;
      for (const category of categories) found.add(category);
    }
    return [...found];
  }

  private receive(position: bigint, item: RawEvent | bigint): void {
    this.looksSinceHeard = 0;
    if (position <= this.received) return;
    this.received = position;
    this.incoming.push(item);
    if (this.incoming.length >= maxIncoming) this.subscription?.pause();
    if (!this.opening) void this.openIncoming();
  }

  /**
   * Decrypts the incoming events in order; events of one turn of the event loop wake the consumers once. An event that
   * cannot be decrypted yet delays all later events, and pauses the subscription when many wait.
   */
  private async openIncoming(): Promise<void> {
    this.opening = true;
    for (let backoffMs = firstBackoffMs; this.incoming.length > 0 && !this.closed;) {
      await nextTurn();
      const items = this.incoming.splice(0, batchSize);
      try {
        const opened = await this.open(items.filter((item) => typeof item !== 'bigint'));
        this.take(opened, items.at(-1)!);
        if (this.incoming.length < maxIncoming) this.subscription?.resume();
        backoffMs = firstBackoffMs;
      } catch (error) {
        this.incoming = [...items, ...this.incoming];
        this.logger?.error(
          { err: error, position: String(this.known) },
          'Failed to decrypt events: the feed tries again, and projections wait',
        );
        await sleep(backoffMs, undefined, { signal: this.closing.signal }).catch(() => {});
        backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
      }
    }
    this.opening = false;
  }

  private take(events: readonly Recorded[], last: RawEvent | bigint): void {
    for (const event of events) if (!event.unread) for (const listener of this.listeners) listener(event);
    const evicted = this.ring.add(events);
    if (evicted !== undefined && this.floor !== undefined && evicted > this.floor) this.floor = evicted;
    for (const follower of this.followers) follower.notify(events, this.known);
    this.known = typeof last === 'bigint' ? last : last.position;
    this.wake();
    for (const onlooker of [...this.onlookers]) onlooker();
  }
}

/** Held in the ring with thousands of others, so without what nobody asks of an event that is not read. */
const unread = ({ id, stream, revision, position, at, type, metadata }: RawEvent): Recorded => ({
  id,
  stream,
  revision,
  position,
  at,
  type,
  event: { type },
  metadata: partitionsAlone(metadata),
  unread: true,
});

function partitionsAlone({ partition, alsoIn }: RawEvent['metadata']): EventMetadata {
  const known = { commandId: '', correlationId: '', accountId: '', actor: nobody };
  return { ...known, ...(partition !== undefined && { partition }), ...(alsoIn && { alsoIn }) };
}

const nobody = {};
