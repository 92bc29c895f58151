import { type EventMetadata, type Instant, Refused } from '@carillon/eventing';

/** The metadata of an event as stored: the origin is a sealed text. */
export type StoredMetadata = Omit<EventMetadata, 'origin'> &
  ({ readonly origin?: undefined } | { readonly origin: string });

/** The fields of a JSON object. */
export type JsonFields = Readonly<Record<string, unknown>>;

export const isFields = (data: unknown): data is JsonFields =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

/** An event to store. Two appends with the same id at the same revision of a stream give one event. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: StoredMetadata;
}

/** An event as stored, its personal fields still sealed. */
export interface RawEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Position in the whole log; opaque, grows, has gaps. */
  readonly position: bigint;
  readonly at: Instant;
  readonly data: unknown;
  readonly metadata: StoredMetadata;
}

export type Expected = 'no_stream' | 'any' | bigint;

export interface Appended {
  /** Of the last appended event. */
  readonly revision: bigint;
  readonly position: bigint;
}

export interface LogBatch {
  readonly events: RawEvent[];
  /** The last position that this batch covers, system events included. Undefined when the batch is empty. */
  readonly last: bigint | undefined;
  /** Nothing followed the batch when it was read. */
  readonly end: boolean;
}

export interface Listener {
  event(event: RawEvent): void;
  /** All events up to this position have been delivered. */
  position(position: bigint): void;
  /** The subscription has ended; called at most once, and never after `close`. */
  dropped(error: unknown): void;
}

export interface Subscription {
  /** Takes no more events from the store until `resume`; what is under way may still be delivered. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** The operations that Carillon needs of an event store. */
export interface EventStore {
  /**
   * Appends all of the events or none. Throws `WrongExpectedRevision` when the stream is not at the expected revision.
   * While the outcome is unknown the append is retried, which is safe since its event ids stay the same. At the timeout
   * it throws `StoreUnavailable` if nothing was sent, and `OutcomeUnknown` if the events may be stored.
   */
  append(stream: string, events: readonly NewEvent[], expected: Expected): Promise<Appended>;
  /** Empty when the stream does not exist or was deleted. Throws `StreamDeleted` when it can never exist again. */
  read(stream: string, from?: bigint, count?: number): Promise<RawEvent[]>;
  readLast(stream: string): Promise<RawEvent | undefined>;
  /** The events after a position (from the start when undefined), without system events. */
  readAll(after: bigint | undefined, count: number): Promise<LogBatch>;
  /** As `readAll`, the other way: the events before a position (from the end when undefined), newest first. */
  readAllBackwards(before: bigint | undefined, count: number): Promise<LogBatch>;
  /**
   * Position of the last event in the log that a subscription delivers, 0 when there is none. System events may follow
   * it, whose positions subscriptions get late or never.
   */
  head(): Promise<bigint>;
  /**
   * All events after the position, in order, then new ones; with categories only events of their streams, and the
   * position of the others once 32 were left out. Ends with the connection: the listener must subscribe again.
   */
  subscribe(after: bigint, listener: Listener, categories?: readonly string[]): Subscription;
  /** Hides the stream's events from readers; a later append continues its revisions. The stream need not exist. */
  delete(stream: string): Promise<void>;
  /**
   * Deletes the stream for ever, if its newest event is the one of this revision: no append can begin it again. Returns
   * whether it is deleted now.
   */
  deleteForEver(stream: string, revision: bigint): Promise<boolean>;
  /** Keeps only the newest `count` events of the stream. */
  setMaxCount(stream: string, count: number): Promise<void>;
  /** Hides the events before this revision from readers. Events hidden before stay hidden. */
  truncateBefore(stream: string, revision: bigint): Promise<void>;
  close(): Promise<void>;
}

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';

  constructor(
    readonly stream: string,
    readonly expected: Expected,
  ) {
    super(`The stream ${stream} is not at ${expected}`);
  }
}

/**
 * The store cannot be reached or does not answer, and no write was sent to it. A refusal, since the caller can be told
 * to retry.
 */
export class StoreUnavailable extends Refused {
  override readonly name = 'StoreUnavailable';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('store.unavailable');
    this.message = message;
    this.cause = options?.cause;
  }
}

/**
 * A write was sent to the store, which did not answer: the write may have happened or may still happen. A retry with
 * the same ids finds out (ADR 19).
 */
export class OutcomeUnknown extends Refused {
  override readonly name = 'OutcomeUnknown';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('store.outcome_unknown');
    this.message = message;
    this.cause = options?.cause;
  }
}

/** The store said no and would say so again. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';

  constructor(
    /** What it was asked for, such as `read $all`. */
    readonly asked: string,
    /** Its reason as the client names it, such as `access-denied` or `unknown`. */
    readonly type: string | undefined,
    /** The code of gRPC, where there was one. */
    readonly code: number | undefined,
    cause: unknown,
  ) {
    const said = [type, cause instanceof Error ? cause.message : ''].filter(Boolean).join(': ');
    super(`The event store refused to ${asked}: ${said || 'it gave no reason'}`, { cause });
  }
}

/** True when the store refused an append because it is too large. A retry would fail too. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof StoreRefused && error.type === 'maximum-append-size-exceeded';

/** The stream was deleted for ever. A refusal, since a caller that knows an id of long ago can be told so. */
export class StreamDeleted extends Refused {
  override readonly name = 'StreamDeleted';

  constructor(readonly stream: string) {
    super('stream.deleted', { stream });
    this.message = `The stream ${stream} is deleted`;
  }
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const nilUuid = '00000000-0000-0000-0000-000000000000';

/**
 * Refuses invalid events before they are sent: a server answers such an append twice, or ends the call of all other
 * appends.
 */
export function insistOnEvents(events: readonly NewEvent[]): void {
  for (const { id, type, data, metadata } of events) {
    if (typeof type !== 'string' || type === '') throw new TypeError('An event needs a type');
    if (!uuidForm.test(id) || id === nilUuid)
      throw new TypeError(`The id of an event is a UUID, not "${id}"`);
    for (const part of [data, metadata])
      if (JSON.stringify(part) === undefined) throw new TypeError(`The event ${type} is no JSON`);
  }
}
