import type { RawEvent } from './event-store';

/** What a server tells of a subscription. */
export interface ServerEvents {
  /** The server has begun. Nothing else is told until `resume`. */
  confirmed(): void;
  event(event: RawEvent): void;
  /** All events up to this position have been told. */
  position(position: bigint): void;
  /** Called at most once, and never after `end`. */
  ended(error: unknown): void;
}

/** A subscription at a server, which is paused once it is confirmed. */
export interface ServerSubscription {
  pause(): void;
  resume(): void;
  end(): Promise<void>;
}

/** With what the names of a category's streams begin. */
export const prefixOf = (category: string): string => `${category}-`;
