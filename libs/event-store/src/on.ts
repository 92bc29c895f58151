import type { DomainEvent, Recorded } from '@carillon/eventing';
import type { Sql } from './sql';

/** Instead of a handler: the type is deliberately ignored. */
export const ignore = Symbol('ignore');
/** Instead of a handler: `apply` handles events of this type together with the rest of their batch. */
export const inBatch = Symbol('in batch');

/** The events of streams given as `{ category: union of its events }`. */
export type EventsOf<Streams extends object> = Extract<Streams[keyof Streams], DomainEvent>;

/**
 * The handling of each event type of each stream. A forgotten or misspelt type does not compile. A projection that
 * handles batches writes its table as a constant, `const on = { … } satisfies On<Streams>`. What its `apply` gets
 * follows from that, as `Handled`.
 */
export type On<Streams extends object> = {
  readonly [Category in keyof Streams]: {
    readonly [Event in Extract<Streams[Category], DomainEvent> as Event['type']]:
      typeof ignore | typeof inBatch | ((sql: Sql, recorded: Recorded<Event>) => Promise<void>);
  };
};

/** The events of streams that a table does not ignore: `Handled<Streams, typeof on>`. */
export type Handled<Streams extends object, Table extends On<Streams>> = {
  [Category in keyof Streams]: NotIgnored<Streams[Category], Table[Category]>;
}[keyof Streams];

type NotIgnored<Event, Types> = Event extends DomainEvent
  ? Types extends { readonly [Type in Event['type']]: typeof ignore }
    ? never
    : Event
  : never;

/**
 * Ignores these types: `{ ...ignoring('Made', ...typesOfAKind), Gone: handler }`. A type that is neither ignored nor
 * handled does not compile.
 */
export const ignoring = <const Types extends readonly string[]>(
  ...types: Types
): Readonly<Record<Types[number], typeof ignore>> =>
  Object.fromEntries(types.map((type) => [type, ignore])) as Record<Types[number], typeof ignore>;
