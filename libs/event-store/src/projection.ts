import type { DomainEvent, Recorded } from '@carillon/eventing';
import type { Sql } from './sql';

/** Instead of a handler: the type is knowingly left out. */
export const ignore = Symbol('ignore');
/** Instead of a handler: `apply` takes the events of this type together with the others of their batch. */
export const inBatch = Symbol('in batch');

/** The events of some streams, as `{ category: union of its events }` says. */
export type EventsOf<Streams extends object> = Extract<Streams[keyof Streams], DomainEvent>;

/** What is done with each event of each stream. A type that is forgotten or misspelt does not compile. */
export type On<Streams extends object, Ignored extends string = never> = {
  readonly [Category in keyof Streams]: {
    readonly [
      Event in Extract<Streams[Category], DomainEvent> as Event['type']
    ]: Event['type'] extends Ignored
      ? typeof ignore
      : typeof inBatch | ((sql: Sql, recorded: Recorded<Event>) => Promise<void>);
  };
};

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

/** Any projection, for who runs them. */
export interface AnyProjection {
  readonly name: string;
  readonly tables: readonly string[];
  readonly on: object;
  readonly immediate: boolean;
  concerns?(recorded: Recorded): boolean;
  apply(sql: Sql, events: readonly Recorded[]): Promise<void>;
  committed?(events: readonly Recorded[]): void;
}

/** A type of a followed category that the projection does not name. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor(
    readonly projection: string,
    readonly event: Recorded,
  ) {
    super(`The projection ${projection} neither handles nor ignores ${event.type} of ${event.stream}`);
  }
}

/** Picks the events that a projection applies. Throws `UnknownEvent`. */
export function selection(projection: AnyProjection): (events: readonly Recorded[]) => Recorded[] {
  return (events) =>
    events.filter((recorded) => {
      if (recorded.unreadable === 'all') return false;
      const how = howOf(projection, recorded);
      if (how === undefined || how === ignore) return false;
      return projection.concerns?.(recorded) ?? true;
    });
}

type Handler = (sql: Sql, recorded: Recorded) => Promise<void>;
type How = Handler | typeof ignore | typeof inBatch;

/** What is done with an event; nothing when its category is not followed. */
function howOf(projection: AnyProjection, recorded: Recorded): How | undefined {
  const types = (projection.on as Readonly<Record<string, Readonly<Record<string, How>>>>)[
    categoryOf(recorded.stream)
  ];
  if (!types) return undefined;
  const how = types[recorded.type];
  if (!how) throw new UnknownEvent(projection.name, recorded);
  return how;
}

function handlerOf(projection: AnyProjection, recorded: Recorded): Handler {
  const how = howOf(projection, recorded);
  if (typeof how !== 'function')
    throw new Error(`The projection ${projection.name} takes ${recorded.type} in no batch of its own`);
  return how;
}

const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
};
