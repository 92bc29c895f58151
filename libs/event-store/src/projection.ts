import type { Recorded } from '@carillon/eventing';
import type { Handled, On } from './on';
import type { Partitioned } from './partition';
import { handlerOf } from './selection';
import type { Sql } from './sql';

/**
 * Turns events into rows. Each event is applied once, in log order, in one transaction with the checkpoint.
 * `Streams` gives the followed categories and their events, `Table` is the type of `on`, which says what `apply` gets.
 */
export abstract class Projection<Streams extends object, Table extends On<Streams> = On<Streams>> {
  abstract readonly name: string;
  /** The tables that only this projection writes and a rebuild replaces. No foreign keys, no serial columns. */
  abstract readonly tables: readonly string[];
  abstract readonly on: Table;

  /**
   * The version of the rows, raised when other rows follow from the same events. Rows of another version are rebuilt;
   * until then they are served, and new events are applied to them.
   */
  readonly version: number = 1;

  /** A rebuild begins where the log is this many days old; at its start for 0. Rows need no older event. */
  readonly neededDays: number = 0;

  /** Whether replicas share its partitions. A change of this needs another name of the projection. */
  readonly partitioned: Partitioned = false;

  /** Requests wait for the effects of this projection: its events are never debounced. */
  readonly immediate: boolean = false;

  /**
   * For an immediate projection: false for an event that no request waits for. Such events are debounced until an
   * urgent one comes.
   */
  urgent?(recorded: Recorded<Handled<Streams, Table>>): boolean;

  /** False for an event of a handled type that changes nothing, so that it needs no transaction. */
  concerns?(recorded: Recorded<Handled<Streams, Table>>): boolean;

  /** Applies a batch in log order, without ignored events; by default one by one. Table names are unqualified. */
  async apply(sql: Sql, events: readonly Recorded<Handled<Streams, Table>>[]): Promise<void> {
    for (const recorded of events) await handlerOf(this, recorded)(sql, recorded);
  }

  /**
   * The account or team of whose events the order matters to the rows of this event; its readers name it. An event
   * that cannot be applied then sets it aside, and the others go on. A projection without this method stops at such an
   * event.
   */
  accountOf?(recorded: Recorded<Handled<Streams, Table>>): string;

  /** Called after the commit, on the active replica, to wake queues or send signals. The call may be lost. */
  committed?(events: readonly Recorded<Handled<Streams, Table>>[]): void;
}
