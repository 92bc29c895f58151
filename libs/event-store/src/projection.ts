import type { Recorded } from '@carillon/eventing';
import type { EventsOf, On } from './on';
import { handlerOf } from './selection';
import type { Sql } from './sql';

/**
 * From events to rows. Each event is applied once, in log order, in one transaction with how far it got.
 * `Streams` says which categories it follows and what their events are, `Ignored` which types it leaves out.
 */
export abstract class Projection<Streams extends object, Ignored extends string = never> {
  abstract readonly name: string;
  /** The tables that it alone writes, which a rebuild makes anew. No foreign keys, no serial columns. */
  abstract readonly tables: readonly string[];
  abstract readonly on: On<Streams, Ignored>;

  /** Somebody waits for what it starts: its events are never gathered. */
  readonly immediate: boolean = false;

  /**
   * Of an immediate projection: false for an event that nobody waits for. Those are gathered, until there is one that
   * somebody waits for.
   */
  urgent?(recorded: Recorded<Handled<Streams, Ignored>>): boolean;

  /** False for an event of a handled type that changes nothing, so that no transaction is made for it. */
  concerns?(recorded: Recorded<Handled<Streams, Ignored>>): boolean;

  /** A batch in log order, without what is ignored. Table names are unqualified. One after the other, unless overridden. */
  async apply(sql: Sql, events: readonly Recorded<Handled<Streams, Ignored>>[]): Promise<void> {
    for (const recorded of events) await handlerOf(this, recorded)(sql, recorded);
  }

  /** After the commit, on the active replica: wake workers, send signals. May be lost. */
  committed?(events: readonly Recorded<Handled<Streams, Ignored>>[]): void;
}

type Handled<Streams extends object, Ignored extends string> = Exclude<
  EventsOf<Streams>,
  { readonly type: Ignored }
>;
