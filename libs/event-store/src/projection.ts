import type { Recorded } from '@carillon/eventing';
import type { Sql } from './sql';

/** From events to rows. Each event is applied once, in log order, in one transaction with how far it got. */
export abstract class Projection {
  abstract readonly name: string;
  /** The tables that it alone writes, which a rebuild makes anew. No foreign keys, no serial columns. */
  abstract readonly tables: readonly string[];
  /** Event types that it applies. */
  abstract readonly handles: readonly string[];
  /** Event types of its categories that it knowingly leaves out. */
  abstract readonly ignores: readonly string[];
  /** Stream categories that it follows. */
  abstract readonly categories: readonly string[];

  /** Somebody waits for what it starts: its events are never gathered. */
  readonly prompt: boolean = false;

  /** False for an event of a handled type that changes nothing, so that no transaction is made for it. */
  concerns?(recorded: Recorded): boolean;

  /** A batch in log order, only handled types. Table names are unqualified. */
  abstract apply(sql: Sql, events: readonly Recorded[]): Promise<void>;

  /** After the commit, on the active replica: wake workers, send signals. May be lost. */
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
export function selection(projection: Projection): (events: readonly Recorded[]) => Recorded[] {
  const categories = new Set(projection.categories);
  const handles = new Set(projection.handles);
  const ignores = new Set(projection.ignores);
  return (events) =>
    events.filter((event) => {
      if (!categories.has(categoryOf(event.stream)) || event.unreadable === 'all') return false;
      if (handles.has(event.type)) return projection.concerns?.(event) ?? true;
      if (ignores.has(event.type)) return false;
      throw new UnknownEvent(projection.name, event);
    });
}

const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
};
