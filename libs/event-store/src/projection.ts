import type { Recorded } from '@carillon/eventing';
import type { EventsOf, On } from './on';
import { handlerOf } from './selection';
import type { Sql } from './sql';

/**
 * Turns events into rows. Each event is applied once, in log order, in one transaction with the checkpoint.
 * `Streams` gives the followed categories and their events, `Ignored` the ignored types.
 */
export abstract class Projection<Streams extends object, Ignored extends string = never> {
  abstract readonly name: string;
  /** The tables that only this projection writes and a rebuild replaces. No foreign keys, no serial columns. */
  abstract readonly tables: readonly string[];
  abstract readonly on: On<Streams, Ignored>;

  /** Requests wait for the effects of this projection: its events are never debounced. */
  readonly immediate: boolean = false;

  /**
   * For an immediate projection: false for an event that no request waits for. Such events are debounced until an
   * urgent one comes.
   */
  urgent?(recorded: Recorded<Handled<Streams, Ignored>>): boolean;

  /** False for an event of a handled type that changes nothing, so that it needs no transaction. */
  concerns?(recorded: Recorded<Handled<Streams, Ignored>>): boolean;

  /** Applies a batch in log order, without ignored events; by default one by one. Table names are unqualified. */
  async apply(sql: Sql, events: readonly Recorded<Handled<Streams, Ignored>>[]): Promise<void> {
    for (const recorded of events) await handlerOf(this, recorded)(sql, recorded);
  }

  /** Called after the commit, on the active replica, to wake queues or send signals. The call may be lost. */
  committed?(events: readonly Recorded<Handled<Streams, Ignored>>[]): void;
}

type Handled<Streams extends object, Ignored extends string> = Exclude<
  EventsOf<Streams>,
  { readonly type: Ignored }
>;
