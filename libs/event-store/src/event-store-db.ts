import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client';
import { isPassing, errorFieldsOf } from '@carillon/eventing';
import { numberSetting, setting } from '@carillon/settings';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Sending, type WriterKind } from './connection';
import {
  type Appended,
  type EventStore,
  type Expected,
  type JsonFields,
  insistOnEvents,
  isFields,
  type Listener,
  type LogBatch,
  type NewEvent,
  OutcomeUnknown,
  type RawEvent,
  type Subscription,
  StoreUnavailable,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';
import { endedForAll, failureOf, Interrupted } from './failures';
import { positionOf, raw } from './official-reader';
import { type StoreCallName, refusalOf } from './refusals';
import { readStream, type StreamOrder } from './stream-read';
import { type FollowedNode, type ReaderKind, subscribeTo } from './subscription';
import { TookTooLong } from './within';

/** The maximum silence of a read before it is retried: the client itself waits for ever. */
const silenceMs = 5_000;
const firstBackoffMs = 50;
const maxBackoffMs = 1_000;
/** The growing batch sizes of the search for the newest event that is not a system event. */
const searchSizes = [1, 32, 512];

export interface StoreOptions {
  /** How long a call is retried while its outcome is unknown; `CARILLON_STORE_PATIENCE_SECONDS` or 10. */
  readonly patienceSeconds?: number;
  /** What sends the appends; `CARILLON_STORE_WRITER` or our own writer. */
  readonly writer?: WriterKind;
  /** What reads subscriptions and streams; `CARILLON_STORE_READER` or our own reader. */
  readonly reader?: ReaderKind;
  /** Which nodes of a cluster serve subscriptions; `CARILLON_STORE_FOLLOW` or the leader. */
  readonly follow?: FollowedNode;
}

/** Opens the store. Calls with the same URL in one process share one client. */
export function openEventStore(url: string, options: StoreOptions = {}): EventStore {
  const patience =
    options.patienceSeconds ?? numberSetting('CARILLON_STORE_PATIENCE_SECONDS', 10, { max: 3_600 });
  const writer = options.writer ?? setting('CARILLON_STORE_WRITER', 'own');
  const reader = options.reader ?? setting('CARILLON_STORE_READER', 'own');
  const follow = options.follow ?? setting('CARILLON_STORE_FOLLOW', 'leader');
  const subscribing = {
    reader: either('CARILLON_STORE_READER', reader, 'own', 'official'),
    follow: either('CARILLON_STORE_FOLLOW', follow, 'leader', 'follower'),
  };
  const connection = Connection.take(url, either('CARILLON_STORE_WRITER', writer, 'own', 'official'));
  return new EventStoreDb(connection, patience * 1_000, subscribing);
}

/** Throws when a setting has neither of its values. */
function either<One extends string, Other extends string>(
  name: string,
  given: string,
  one: One,
  other: Other,
): One | Other {
  if (given === one) return one;
  if (given === other) return other;
  throw new Error(`The setting ${name} must be ${one} or ${other}, not "${given}"`);
}

class EventStoreDb implements EventStore {
  private open = true;
  /** The newest event that is not a system event, as of the newest event at the last search. */
  private newest = { asOf: 0n, position: 0n };

  constructor(
    private readonly connection: Connection,
    private readonly timeoutMs: number,
    private readonly subscribing: { readonly follow: FollowedNode; readonly reader: ReaderKind },
  ) {}

  async append(stream: string, events: readonly NewEvent[], expected: Expected): Promise<Appended> {
    insistOnEvents(events);
    const request = { stream, events, expected };
    const { revision, position } = await this.persist({ verb: 'append to', stream, expected }, (operation) =>
      this.connection.send(operation, request),
    );
    return { revision, position: position ?? (await this.positionOf(stream, revision, events)) };
  }

  /**
   * The position of an append that the store acknowledged without a position, as it does for a repeated append whose
   * events can no longer be read. Then the end of the log is used: a wait for it is long enough.
   */
  private async positionOf(stream: string, revision: bigint, events: readonly NewEvent[]): Promise<bigint> {
    const last = events.at(-1)?.id;
    try {
      const stored = await this.read(stream, revision).catch((error: unknown) => {
        if (error instanceof StreamDeleted) return [];
        throw error;
      });
      return stored.find(({ id }) => id === last)?.position ?? (await this.head());
    } catch (error) {
      if (!isPassing(error)) throw error;
      throw new OutcomeUnknown(`The position of an append to ${stream} cannot be told`, { cause: error });
    }
  }

  async read(stream: string, from = 0n, count?: number): Promise<RawEvent[]> {
    return this.readStream({ stream, from, ...(count !== undefined && { count }) });
  }

  async readLast(stream: string): Promise<RawEvent | undefined> {
    const [last] = await this.readStream({ stream, from: 'end', backwards: true, count: 1 });
    return last;
  }

  async readAll(after: bigint | undefined, count: number): Promise<LogBatch> {
    // A read starts at the position itself, so the event there comes again and is skipped.
    const asked = after === undefined || after === 0n ? count : count + 1;
    return this.persist({ verb: 'read', stream: '$all' }, async (operation) => {
      const client = await operation.client();
      const events: RawEvent[] = [];
      let last: bigint | undefined;
      let seen = 0;
      const reading = client.readAll({
        fromPosition: after === undefined || after === 0n ? 'start' : { commit: after, prepare: after },
        maxCount: asked,
      });
      for await (const resolved of operation.limited(reading)) {
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

  async readAllBackwards(before: bigint | undefined, count: number): Promise<LogBatch> {
    // Servers may count the event at the position itself among those before it.
    const asked = before === undefined ? count : count + 1;
    return this.persist({ verb: 'read', stream: '$all' }, async (operation) => {
      const client = await operation.client();
      const events: RawEvent[] = [];
      let last: bigint | undefined;
      let [seen, covered] = [0, 0];
      const reading = client.readAll({
        direction: 'backwards',
        fromPosition: before === undefined ? 'end' : { commit: before, prepare: before },
        maxCount: asked,
      });
      for await (const resolved of operation.limited<AllStreamResolvedEvent>(reading)) {
        seen += 1;
        const position = positionOf(resolved);
        if (position === undefined || (before !== undefined && position >= before)) continue;
        if (covered === count) continue;
        covered += 1;
        last = position;
        const { event } = resolved;
        if (event && !event.type.startsWith('$')) events.push(raw(event, position));
      }
      return { events, last, end: seen < asked };
    });
  }

  async head(): Promise<bigint> {
    return this.persist({ verb: 'read', stream: '$all' }, async (operation) => {
      const client = await operation.client();
      let asOf: bigint | undefined;
      let from: 'end' | { commit: bigint; prepare: bigint } = 'end';
      for (let look = 0; ; look += 1) {
        const maxCount = searchSizes[Math.min(look, searchSizes.length - 1)]!;
        let seen = 0;
        let found: bigint | undefined;
        const reading = client.readAll({ direction: 'backwards', fromPosition: from, maxCount });
        // Read to the end: a read that is left earlier continues in the client.
        for await (const resolved of operation.limited<AllStreamResolvedEvent>(reading)) {
          seen += 1;
          const position: bigint = positionOf(resolved) ?? 0n;
          asOf ??= position;
          if (!resolved.event?.type.startsWith('$')) found ??= position;
          else if (position === this.newest.asOf) found ??= this.newest.position;
          from = { commit: position, prepare: position };
        }
        if (found === undefined && seen === maxCount) continue;
        this.newest = { asOf: asOf ?? 0n, position: found ?? 0n };
        return this.newest.position;
      }
    });
  }

  subscribe(after: bigint, listener: Listener, categories?: readonly string[]): Subscription {
    return subscribeTo(this.connection, this.subscribing, after, listener, categories);
  }

  async delete(stream: string): Promise<void> {
    await this.persist({ verb: 'delete', stream, expected: 'any' }, async (operation) => {
      const client = await operation.client();
      operation.sent = true;
      try {
        await client.deleteStream(stream, { expectedRevision: 'any', deadline: operation.leftMs });
      } catch (error) {
        if (!isNothingToDelete(error)) throw error;
      }
    });
  }

  async deleteForEver(stream: string, revision: bigint): Promise<boolean> {
    return this.persist({ verb: 'delete', stream, expected: revision }, async (operation) => {
      const client = await operation.client();
      operation.sent = true;
      try {
        await client.tombstoneStream(stream, { expectedRevision: revision, deadline: operation.leftMs });
        return true;
      } catch (error) {
        const { type } = errorFieldsOf(error);
        if (type === 'wrong-expected-version') return false;
        if (type === 'stream-deleted') return true;
        throw error;
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

  private async changeMetadata(stream: string, change: (before: JsonFields) => JsonFields): Promise<void> {
    const metastream = `$$${stream}`;
    for (let tries = 1; ; tries += 1) {
      const before = await this.readLast(metastream);
      const metadata = isFields(before?.data) ? before.data : {};
      // The mark of a deleted stream is 2^63-1, which a JavaScript number cannot hold: it would be written back wrong.
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

  private readStream(order: StreamOrder): Promise<RawEvent[]> {
    return this.persist({ verb: 'read', stream: order.stream }, (operation) =>
      this.connection.whenReadable(operation.leftMs, () => this.readStreamNow(operation, order)),
    );
  }

  private async readStreamNow(operation: StoreCall, order: StreamOrder): Promise<RawEvent[]> {
    const client = await operation.client();
    if (this.subscribing.reader === 'own')
      return readStream(await this.connection.readerSession(client), order, operation.silenceMs);
    const { stream, from, backwards, count } = order;
    const reading = client.readStream(stream, {
      fromRevision: from,
      ...(backwards && { direction: 'backwards' }),
      ...(count !== undefined && { maxCount: count }),
    });
    const events: RawEvent[] = [];
    try {
      for await (const { event, commitPosition } of operation.limited(reading))
        if (event) events.push(raw(event, event.position?.commit ?? commitPosition ?? 0n));
    } catch (error) {
      if (errorFieldsOf(error).type === 'stream-not-found') return [];
      throw error;
    }
    return events;
  }

  /** Retries a call until its outcome is known or the timeout is over. */
  private async persist<T>(asked: StoreCallName, attempt: (operation: StoreCall) => Promise<T>): Promise<T> {
    const { connection } = this;
    const operation = new StoreCall(connection, this.timeoutMs);
    try {
      for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
        if (!this.open) throw operation.failed('The event store was closed');
        try {
          const result = await attempt(operation);
          if (operation.generation !== connection.generation && asked.expected === undefined)
            throw new Interrupted();
          return result;
        } catch (error) {
          const failure = operation.sent && endedForAll(error) ? 'again' : failureOf(error);
          if (failure === 'refused') throw refusalOf(error, asked);
          if (failure === 'reconnect') connection.replace(operation.generation);
          if (operation.leftMs <= backoffMs || !this.open)
            throw operation.failed('The event store cannot be reached or does not answer', error);
          await sleep(backoffMs);
        }
      }
    } finally {
      operation.over = true;
    }
  }
}

/** One call to the store, over all its attempts. */
class StoreCall implements Sending {
  generation: number;
  sent = false;
  over = false;
  private readonly until: number;

  constructor(
    private readonly connection: Connection,
    timeoutMs: number,
  ) {
    this.generation = connection.generation;
    this.until = Date.now() + timeoutMs;
  }

  get leftMs(): number {
    return Math.max(1, this.until - Date.now());
  }

  /** How long a read may be silent. */
  get silenceMs(): number {
    return Math.min(silenceMs, Math.max(this.leftMs, maxBackoffMs));
  }

  /** The client for the next attempt. */
  async client(): Promise<EventStoreDBClient> {
    const { client, generation } = await this.connection.current();
    this.generation = generation;
    return client;
  }

  /** The error at the timeout. */
  failed(message: string, cause?: unknown): Error {
    return this.sent ? new OutcomeUnknown(message, { cause }) : new StoreUnavailable(message, { cause });
  }

  /** A read that fails after too long a silence: the client would wait for ever. */
  async *limited<T>(reading: Reading<T>): AsyncIterable<T> {
    const stop = (): void => {
      reading.destroy(new TookTooLong());
      void reading.cancel().catch(() => {});
    };
    const timer = setTimeout(stop, this.silenceMs);
    try {
      for await (const item of reading) {
        timer.refresh();
        yield item;
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Reading<T> extends AsyncIterable<T> {
  cancel(): Promise<void>;
  destroy(error?: Error): unknown;
}

/** The store refuses to delete a stream that never existed, even with the expected revision `any`. */
const isNothingToDelete = (error: unknown): boolean =>
  ['wrong-expected-version', 'stream-deleted'].includes(String(errorFieldsOf(error).type));
