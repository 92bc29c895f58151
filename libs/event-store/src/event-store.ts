import { type EventMetadata, type Instant, Refused } from '@carillon/eventing';

/** An event about to be stored. The same id twice at the same place in a stream is one event. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event as it is stored, its personal fields still sealed. */
export interface RawEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Place in the whole log; opaque, grows, has gaps. */
  readonly position: bigint;
  readonly at: Instant;
  readonly data: unknown;
  readonly metadata: EventMetadata;
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
  dropped(error: Error): void;
}

export interface Subscription {
  close(): Promise<void>;
}

/** What Carillon asks of an event store. */
export interface EventStore {
  /**
   * Appends all of the events or none. Throws `WrongExpectedRevision` when the stream is not where it was expected.
   * While the outcome is unknown the same append is repeated, which is safe as its ids stay; after about ten seconds
   * it throws `StoreUnavailable`: the events may be there or not.
   */
  append(stream: string, events: readonly NewEvent[], expected: Expected): Promise<Appended>;
  /** None when the stream does not exist or was deleted. Throws `StreamDeleted` when it can never exist again. */
  read(stream: string, from?: bigint): Promise<RawEvent[]>;
  readLast(stream: string): Promise<RawEvent | undefined>;
  /** The events after a position (from the start when undefined), without the store's own. */
  readAll(after: bigint | undefined, count: number): Promise<LogPage>;
  /** Position of the last event in the log, 0 when it is empty. */
  head(): Promise<bigint>;
  /** All events after the position, in order, then those to come. Ends with the connection: whoever listens starts anew. */
  subscribe(after: bigint, listener: Listener): Subscription;
  /** The stream's events are gone for readers; appending to it again continues its numbers. */
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
 * The store cannot be reached, or did not say what became of an append. A refusal, since whoever asked can be told to
 * try again.
 */
export class StoreUnavailable extends Refused {
  override readonly name = 'StoreUnavailable';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('store.unavailable');
    this.message = message;
    this.cause = options?.cause;
  }
}

/** Whether the store has refused an append since it holds more than one may. It will always be so. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && (error as { type?: unknown }).type === 'maximum-append-size-exceeded';

/** The stream was ended for ever. */
export class StreamDeleted extends Error {
  override readonly name = 'StreamDeleted';

  constructor(readonly stream: string) {
    super(`The stream ${stream} is deleted`);
  }
}
