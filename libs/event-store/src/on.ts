import type { DomainEvent, Recorded } from '@carillon/eventing';
import type { Sql } from './sql';

/** Instead of a handler: the type is deliberately ignored. */
export const ignore = Symbol('ignore');
/** Instead of a handler: `apply` handles events of this type together with the rest of their batch. */
export const inBatch = Symbol('in batch');

/** The events of streams given as `{ category: union of its events }`. */
export type EventsOf<Streams extends object> = Extract<Streams[keyof Streams], DomainEvent>;

/**
 * The handling of each event type of each stream. A forgotten or misspelt type does not compile. `Ignored` names the
 * types that must be ignored, for projections whose `apply` must not get them.
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
 * Ignores these types: `{ ...ignoring('Made', ...typesOfAKind), Gone: handler }`. A type that is neither ignored nor
 * handled does not compile.
 */
export const ignoring = <const Types extends readonly string[]>(
  ...types: Types
): Readonly<Record<Types[number], typeof ignore>> =>
  Object.fromEntries(types.map((type) => [type, ignore])) as Record<Types[number], typeof ignore>;
