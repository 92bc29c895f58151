import {
  type AllStreamResolvedEvent,
  EventStoreDBClient,
  excludeSystemEvents,
  jsonEvent,
  type RecordedEvent,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type Appended,
  type EventStore,
  type Expected,
  type Listener,
  type LogPage,
  type NewEvent,
  type RawEvent,
  type Subscription,
  StoreUnavailable,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';

/** How long one attempt may take before its outcome counts as unknown: the client itself waits for ever. */
const attemptMs = 5_000;
/** How long an operation is repeated while its outcome stays unknown. */
const patienceMs = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/**
 * The client has a queue of its own behind 16 unwritten messages. When the connection dies while something stands in
 * it, an unhandled rejection ends the process: we never let it fill.
 */
const appendsInFlight = 15;
/** An append that the client never settles gives its place back after this; its connection is long gone by then. */
const lostMs = 60_000;

/**
 * Opens the store. One client per process: the client keeps the pending appends of all its instances in one table, and
 * an answer after a second one lost its server ends the process. A second open of the same url shares the first.
 */
export function openEventStore(url: string): EventStore {
  const registry = processRegistry();
  if (registry.connection && registry.connection.url !== url)
    throw new Error('This process already has another event store open: one appending client per process');
  const connection = (registry.connection ??= new Connection(url, registry.closing));
  connection.users += 1;
  return new EventStoreDb(connection);
}

interface Registry {
  connection?: Connection | undefined;
  /** The end of the last client; the next one starts after it. */
  closing: Promise<void>;
}

function processRegistry(): Registry {
  const key = Symbol.for('carillon.event-store.client');
  const holder = globalThis as { [key]?: Registry };
  return (holder[key] ??= { closing: Promise.resolve() });
}

/** Parts of the client that are not in its types. */
interface ClientInternals {
  getChannel(): Promise<{ close(): void }>;
  dispose(): Promise<void>;
}

/** The client of this process, and a new one after it lost its server. */
class Connection {
  users = 0;
  /** Counts the clients: what began with one and ended with another was interrupted. */
  generation = 0;
  closed = false;
  private client: EventStoreDBClient | undefined;
  private inFlight = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    readonly url: string,
    private changing: Promise<void>,
  ) {}

  async current(): Promise<EventStoreDBClient> {
    for (let seen; seen !== this.changing;) await (seen = this.changing);
    if (this.closed) throw new StoreUnavailable('The event store was closed');
    return (this.client ??= EventStoreDBClient.connectionString(this.url));
  }

  /**
   * Starts over with a new client, once the old one has ended completely. A client that only reconnects may keep an old
   * stream of appends beside the new one, and the end of one breaks the other.
   */
  replace(generation: number): void {
    if (generation !== this.generation) return;
    this.generation += 1;
    const old = this.client;
    this.client = undefined;
    if (old) this.changing = this.changing.then(() => end(old));
  }

  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    this.closed = true;
    this.replace(this.generation);
    const registry = processRegistry();
    if (registry.connection === this) {
      registry.connection = undefined;
      registry.closing = this.changing;
    }
    await this.changing;
  }

  /** Runs an append when there is room for it. Its place is taken until the client lets go of it. */
  async append<T>(work: () => Promise<T>): Promise<T> {
    if (this.inFlight >= appendsInFlight) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inFlight += 1;
    let left = false;
    const leave = (): void => {
      if (left) return;
      left = true;
      clearTimeout(lost);
      const next = this.waiting.shift();
      if (next) next();
      else this.inFlight -= 1;
    };
    const lost = setTimeout(leave, lostMs);
    lost.unref();
    const result = work();
    result.then(leave, leave);
    return result;
  }
}

async function end(client: EventStoreDBClient): Promise<void> {
  const internals = client as unknown as ClientInternals;
  await within(2_000, internals.dispose()).catch(() => {});
  await internals.getChannel().then(
    (channel) => channel.close(),
    () => {},
  );
}

class EventStoreDb implements EventStore {
  private open = true;

  constructor(private readonly connection: Connection) {}

  async append(stream: string, events: readonly NewEvent[], expected: Expected): Promise<Appended> {
    // What is no JSON must fail here: inside the client it would end the process.
    for (const { data, metadata } of events) JSON.stringify([data, metadata]);
    const proposed = events.map(({ id, type, data, metadata }) =>
      jsonEvent({
        id,
        type,
        data: data as Record<string, unknown>,
        metadata: metadata as unknown as Record<string, unknown>,
      }),
    );
    const result = await this.persist({ stream, expected }, (client) =>
      within(
        attemptMs,
        this.connection.append(() => client.appendToStream(stream, proposed, { expectedRevision: expected })),
      ),
    );
    const revision = result.nextExpectedRevision;
    if (result.position) return { revision, position: result.position.commit };
    const [stored] = await this.read(stream, revision);
    if (!stored) throw new StoreUnavailable(`The store gave no position for its append to ${stream}`);
    return { revision, position: stored.position };
  }

  async read(stream: string, from = 0n): Promise<RawEvent[]> {
    return this.readStream(stream, { fromRevision: from });
  }

  async readLast(stream: string): Promise<RawEvent | undefined> {
    const [last] = await this.readStream(stream, {
      direction: 'backwards',
      fromRevision: 'end',
      maxCount: 1,
    });
    return last;
  }

  async readAll(after: bigint | undefined, count: number): Promise<LogPage> {
    // Reads start at the position itself, so that its own event comes again and is left out.
    const asked = after === undefined || after === 0n ? count : count + 1;
    return this.persist({}, async (client) => {
      const events: RawEvent[] = [];
      let last: bigint | undefined;
      let seen = 0;
      const reading = client.readAll({
        fromPosition: after === undefined || after === 0n ? 'start' : { commit: after, prepare: after },
        maxCount: asked,
      });
      for await (const resolved of limited(reading)) {
        seen += 1;
        const position = positionOf(resolved);
        if (position === undefined || (after !== undefined && position <= after)) continue;
        last = position;
        const event = resolved.event;
        if (event && !event.type.startsWith('$')) events.push(raw(event, position));
      }
      return { events, last, end: seen < asked };
    });
  }

  async head(): Promise<bigint> {
    return this.persist({}, async (client) => {
      for await (const resolved of limited(
        client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
      ))
        return positionOf(resolved) ?? 0n;
      return 0n;
    });
  }

  subscribe(after: bigint, listener: Listener): Subscription {
    const { connection } = this;
    let open = true;
    let cancel = async (): Promise<void> => {};
    const drop = (generation: number, error: Error): void => {
      if (!open) return;
      open = false;
      connection.replace(generation);
      listener.dropped(error);
    };
    const start = async (): Promise<void> => {
      const client = await connection.current();
      const { generation } = connection;
      if (!open) return;
      const subscription = client.subscribeToAll({
        fromPosition: after === 0n ? 'start' : { commit: after, prepare: after },
        filter: excludeSystemEvents({
          checkpointReached: async (_, position) => {
            // The client tells the position at once, but may still hold events from before it.
            while (open && subscription.readableLength > 0) await nextTurn();
            if (open) listener.position(position.commit);
          },
        }),
      });
      cancel = async () => {
        await within(1_000, subscription.unsubscribe()).catch(() => {});
        subscription.destroy();
      };
      subscription.on('error', (error: Error) => {
        drop(generation, error);
        subscription.destroy();
      });
      for (const ended of ['end', 'close'])
        subscription.on(ended, () =>
          drop(generation, new StoreUnavailable('The store ended the subscription')),
        );
      subscription.on('data', (resolved: AllStreamResolvedEvent) => {
        const position = positionOf(resolved);
        if (open && resolved.event && position !== undefined) listener.event(raw(resolved.event, position));
      });
    };
    start().catch((error: Error) => drop(connection.generation, error));
    return {
      close: async () => {
        open = false;
        await cancel();
      },
    };
  }

  async delete(stream: string): Promise<void> {
    await this.persist({ stream }, async (client) => {
      try {
        await client.deleteStream(stream, { expectedRevision: 'any' });
      } catch (error) {
        const type = (error as { type?: unknown }).type;
        if (type !== 'stream-not-found' && type !== 'stream-deleted') throw error;
      }
    });
  }

  async setMaxCount(stream: string, count: number): Promise<void> {
    await this.changeMetadata(stream, (before) =>
      before['$maxCount'] === count ? {} : { $maxCount: count },
    );
  }

  async truncateBefore(stream: string, revision: bigint): Promise<void> {
    const before = Number(revision);
    await this.changeMetadata(stream, ({ $tb }) =>
      before === 0 || (typeof $tb === 'number' && $tb >= before) ? {} : { $tb: before },
    );
  }

  private async changeMetadata(
    stream: string,
    change: (before: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<void> {
    const metastream = `$$${stream}`;
    for (let tries = 1; ; tries += 1) {
      const before = await this.readLast(metastream);
      const metadata = (before?.data ?? {}) as Record<string, unknown>;
      // The mark of a deleted stream is 2^63-1, which no JavaScript number keeps: written back it would be wrong.
      if ('$tb' in metadata && !Number.isSafeInteger(metadata['$tb'])) throw new StreamDeleted(stream);
      const changes = change(metadata);
      if (Object.keys(changes).length === 0) return;
      const event = {
        id: randomUUID(),
        type: '$metadata',
        data: { ...metadata, ...changes },
        metadata: {} as never,
      };
      try {
        await this.append(metastream, [event], before?.revision ?? 'no_stream');
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || tries === 3) throw error;
      }
    }
  }

  async close(): Promise<void> {
    if (!this.open) return;
    this.open = false;
    await this.connection.release();
  }

  private readStream(
    stream: string,
    options: { fromRevision: bigint | 'end'; direction?: 'backwards'; maxCount?: number },
  ): Promise<RawEvent[]> {
    return this.persist({ stream }, async (client) => {
      const events: RawEvent[] = [];
      try {
        for await (const { event, commitPosition } of limited(client.readStream(stream, options)))
          if (event) events.push(raw(event, event.position?.commit ?? commitPosition ?? 0n));
      } catch (error) {
        if ((error as { type?: unknown }).type === 'stream-not-found') return [];
        throw error;
      }
      return events;
    });
  }

  /** Repeats what may be repeated until its outcome is known. */
  private async persist<T>(
    about: { stream?: string; expected?: Expected },
    attempt: (client: EventStoreDBClient) => Promise<T>,
  ): Promise<T> {
    const { connection } = this;
    const until = Date.now() + patienceMs;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      if (!this.open) throw new StoreUnavailable('The event store was closed');
      const client = await connection.current();
      const { generation } = connection;
      try {
        const result = await attempt(client);
        // A cut connection may look like the end of a read.
        if (generation === connection.generation || about.expected !== undefined) return result;
        throw new Interrupted();
      } catch (error) {
        if (!isUnknown(error)) throw known(error, about);
        if (!(error instanceof TookTooLong)) connection.replace(generation);
        if (Date.now() + pause > until || !this.open)
          throw new StoreUnavailable('The event store cannot be reached or does not answer', {
            cause: error,
          });
        await sleep(pause);
      }
    }
  }
}

class TookTooLong extends Error {}
class Interrupted extends Error {}

/** What a promise gives, unless it takes longer than `ms`. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong()), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Reading<T> extends AsyncIterable<T> {
  cancel(): Promise<void>;
  destroy(error?: Error): unknown;
}

/** A read that ends with an error when nothing comes for too long: the client would wait for ever. */
async function* limited<T>(reading: Reading<T>): AsyncIterable<T> {
  const stop = (): void => {
    reading.destroy(new Interrupted());
    void reading.cancel().catch(() => {});
  };
  const timer = setTimeout(stop, attemptMs);
  try {
    for await (const item of reading) {
      timer.refresh();
      yield item;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Errors are told apart by the client's `type` and the gRPC code; their texts are often empty. */
const unknownTypes = new Set<unknown>([
  'unavailable',
  'deadline-exceeded',
  'timeout',
  'cancelled',
  'unknown',
  'not-leader',
]);
const unknownCodes = new Set<unknown>([1, 2, 4, 13, 14]);

function isUnknown(error: unknown): boolean {
  if (error instanceof TookTooLong || error instanceof Interrupted) return true;
  if (
    error instanceof StoreUnavailable ||
    error instanceof WrongExpectedRevision ||
    error instanceof StreamDeleted
  )
    return false;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return false;
  const { type, code } = error as { type?: unknown; code?: unknown };
  if (typeof type === 'string') return unknownTypes.has(type);
  // Node's streams and gRPC's closed channels give errors with a code in letters or none at all.
  return typeof code === 'number' ? unknownCodes.has(code) : true;
}

function known(
  error: unknown,
  { stream = '', expected = 'any' }: { stream?: string; expected?: Expected },
): unknown {
  switch ((error as { type?: unknown }).type) {
    case 'wrong-expected-version':
      return new WrongExpectedRevision(stream, expected);
    case 'stream-deleted':
      return new StreamDeleted(stream);
    default:
      return error;
  }
}

const positionOf = ({ event, link, commitPosition }: AllStreamResolvedEvent): bigint | undefined =>
  commitPosition ?? (link ?? event)?.position?.commit;

const raw = (event: RecordedEvent, position: bigint): RawEvent => ({
  id: event.id,
  type: event.type,
  stream: event.streamId,
  revision: event.revision,
  position,
  at: event.created.toISOString(),
  data: event.data,
  metadata: (event.metadata ?? {}) as unknown as RawEvent['metadata'],
});
