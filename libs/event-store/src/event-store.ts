import { type EventMetadata, type Instant, Refused } from '@carillon/eventing';

/** The metadata of an event as it is stored: with a sealed text where the origin was. */
export type StoredMetadata = Omit<EventMetadata, 'origin'> &
  ({ readonly origin?: undefined } | { readonly origin: string });

/** The fields of an object of JSON. */
export type JsonFields = Readonly<Record<string, unknown>>;

export const isFields = (data: unknown): data is JsonFields =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

/** An event about to be stored. The same id twice at the same revision of a stream is one event. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: StoredMetadata;
}

/** An event as it is stored, its personal fields still sealed. */
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

export interface LogPage {
  readonly events: RawEvent[];
  /** How far this page looked, system events included. Undefined when nothing follows. */
  readonly last: bigint | undefined;
  /** Nothing followed the page when it was read. */
  readonly end: boolean;
}

export interface Listener {
  event(event: RawEvent): void;
  /** All events up to here were given. */
  position(position: bigint): void;
  /** Nothing more comes; called at most once, and never after `close`. */
  dropped(error: unknown): void;
}

export interface Subscription {
  close(): Promise<void>;
}

/** What Carillon asks of an event store. */
export interface EventStore {
  /**
   * Appends all of the events or none. Throws `WrongExpectedRevision` when the stream is not where it was expected.
   * While the outcome is unknown the same append is repeated, which is safe as its ids stay. When patience ends it
   * throws `StoreUnavailable` if nothing was sent, and `OutcomeUnknown` if the events may be there.
   */
  append(stream: string, events: readonly NewEvent[], expected: Expected): Promise<Appended>;
  /** None when the stream does not exist or was deleted. Throws `StreamDeleted` when it can never exist again. */
  read(stream: string, from?: bigint, count?: number): Promise<RawEvent[]>;
  readLast(stream: string): Promise<RawEvent | undefined>;
  /** The events after a position (from the start when undefined), without the store's own. */
  readAll(after: bigint | undefined, count: number): Promise<LogPage>;
  /**
   * Position of the last event in the log that a subscription gives, 0 when there is none. Behind it there may be the
   * store's own, of which followers hear late or never.
   */
  head(): Promise<bigint>;
  /** All events after the position, in order, then those to come. Ends with the connection: whoever listens starts anew. */
  subscribe(after: bigint, listener: Listener): Subscription;
  /** The stream's events are gone for readers; appending to it again continues its numbers. It may not exist at all. */
  delete(stream: string): Promise<void>;
  /** Only the newest `count` events of the stream are kept. */
  setMaxCount(stream: string, count: number): Promise<void>;
  /** The events before this revision are gone for readers. What was gone before stays so. */
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
 * The store cannot be reached or does not answer, and nothing was sent to it that could change anything. A refusal,
 * since whoever asked can be told to try again.
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
 * Something was sent to the store, which did not say what became of it: it may have happened or may still happen.
 * Whoever asks again with the same ids finds out.
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

/** Whether the store has refused an append since it holds more than one may. It will always be so. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof StoreRefused && error.type === 'maximum-append-size-exceeded';

/** The stream was ended for ever. */
export class StreamDeleted extends Error {
  override readonly name = 'StreamDeleted';

  constructor(readonly stream: string) {
    super(`The stream ${stream} is deleted`);
  }
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const nilUuid = '00000000-0000-0000-0000-000000000000';

/**
 * Refuses what no store takes, before anything is sent: a server answers it twice or ends the call of all others, and
 * the client of EventStoreDB then ends the process.
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
