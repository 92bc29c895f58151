import type { EventMetadata } from '@carillon/eventing';

export interface Transacted<State, Event> {
  readonly state: State;
  /** The events appended by this call; none when the request had been executed before. */
  readonly events: readonly Event[];
  /** Of the newest event of the stream, also when nothing was appended; 0 when the stream is empty. */
  readonly position: bigint;
  /** Of the newest event of the stream, -1 when the stream is empty. */
  readonly revision: bigint;
}

/** The events of one command. */
export interface Part<Event> {
  readonly events: readonly Event[];
  readonly metadata: EventMetadata;
}

export interface Loaded<State> {
  readonly state: State;
  readonly revision: bigint | undefined;
  readonly position: bigint | undefined;
  /** The stream was deleted for ever: its retention is over (ADR 63). The state is the initial one. */
  readonly isDeleted?: boolean;
  /** The partition of the stream, once it has events. */
  readonly partition?: number;
}

export interface TransactOptions {
  /** The stream probably does not exist: decide from the initial state without reading first. */
  readonly expectNew?: boolean;
}
