import type { DomainEvent, Recorded } from '@carillon/eventing';
import type { Sql } from './sql';

/** Instead of a handler: the type is knowingly left out. */
export const ignore = Symbol('ignore');
/** Instead of a handler: `apply` takes the events of this type together with the others of their batch. */
export const inBatch = Symbol('in batch');

/** The events of some streams, as `{ category: union of its events }` says. */
export type EventsOf<Streams extends object> = Extract<Streams[keyof Streams], DomainEvent>;

/**
 * What is done with each event of each stream. A type that is forgotten or misspelt does not compile. `Ignored` names the
 * types that must be left out, for projections whose `apply` is not to meet them.
 */
export type On<Streams extends object, Ignored extends string = never> = {
  readonly [Category in keyof Streams]: {
    readonly [
      Event in Extract<Streams[Category], DomainEvent> as Event['type']
    ]: Event['type'] extends Ignored
      ? typeof ignore
      : typeof ignore | typeof inBatch | ((sql: Sql, recorded: Recorded<Event>) => Promise<void>);
  };
};

/**
 * Leaves out these types: `{ ...ignoring('Made', ...typesOfAKind), Gone: handler }`. A type that is in neither does not
 * compile.
 */
export const ignoring = <const Types extends readonly string[]>(
  ...types: Types
): Readonly<Record<Types[number], typeof ignore>> =>
  Object.fromEntries(types.map((type) => [type, ignore])) as Record<Types[number], typeof ignore>;
