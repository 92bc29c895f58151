import { messageOf } from './failure';
import type { ProposedEvent } from './record';

export type WriteOutcome =
  /** Revision of its last event (-1: none), and position; none when it was there already and can no longer be read. */
  | { outcome: 'success'; revision: number; position: number | undefined }
  | { outcome: 'wrong-expected-version'; current: number }
  | { outcome: 'stream-deleted' }
  | { outcome: 'deadline-exceeded' }
  | { outcome: 'unavailable' }
  /** It could not be decided or answered; nothing of it was written. */
  | { outcome: 'failed'; message: string };

export interface Append {
  kind: 'append';
  stream: string;
  expected: number;
  events: ProposedEvent[];
  /** Milliseconds since 1970; nothing is written after it. */
  deadline: number;
  done(outcome: WriteOutcome): void;
}

export interface Delete {
  kind: 'delete' | 'tombstone';
  stream: string;
  expected: number;
  deadline: number;
  done(outcome: WriteOutcome): void;
}

export type WriteRequest = Append | Delete;

/** Answers a write request. An answer that cannot be encoded does not stop the server: it becomes a failure. */
export function tell(order: WriteRequest, outcome: WriteOutcome): void {
  for (let answer = outcome, tries = 0; tries < 2; tries++)
    try {
      return order.done(answer);
    } catch (error) {
      answer = { outcome: 'failed', message: messageOf(error) };
    }
}
