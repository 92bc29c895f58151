import type { Recorded } from '@carillon/eventing';
import { ignore, type inBatch } from './on';
import type { Partitioned } from './partition';
import type { Sql } from './sql';

/** A projection of any type, as its runner sees it. */
export interface AnyProjection {
  readonly name: string;
  readonly tables: readonly string[];
  readonly on: object;
  readonly version: number;
  readonly partitioned: Partitioned;
  readonly immediate: boolean;
  readonly neededDays?: number;
  urgent?(recorded: Recorded): boolean;
  accountOf?(recorded: Recorded): string;
  concerns?(recorded: Recorded): boolean;
  apply(sql: Sql, events: readonly Recorded[]): Promise<void>;
  committed?(events: readonly Recorded[]): void;
}

/** An event type of a followed category that the projection neither handles nor ignores. */
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
  return (events) => events.filter((recorded) => applies(projection, recorded));
}

/** True when a projection must see an event: it applies the event, or does not know its type. */
export function wanting(projection: AnyProjection): (recorded: Recorded) => boolean {
  return (recorded) => {
    try {
      return applies(projection, recorded);
    } catch {
      return true;
    }
  };
}

/** True when a projection may have to see events of a type: it handles the type, or follows its category without it. */
export function mayWant(projection: AnyProjection, category: string, type: string): boolean {
  const types = typesOf(projection, category);
  return types !== undefined && types[type] !== ignore;
}

function applies(projection: AnyProjection, recorded: Recorded): boolean {
  if (recorded.unreadable === 'all') return false;
  const how = howOf(projection, recorded);
  if (how === undefined || how === ignore) return false;
  return recorded.unread ?? projection.concerns?.(recorded) ?? true;
}

type Handler = (sql: Sql, recorded: Recorded) => Promise<void>;
type How = Handler | typeof ignore | typeof inBatch;

/** The handling of an event; undefined when its category is not followed. */
function howOf(projection: AnyProjection, recorded: Recorded): How | undefined {
  const types = typesOf(projection, categoryOf(recorded.stream));
  if (!types) return undefined;
  const how = types[recorded.type];
  if (!how) throw new UnknownEvent(projection.name, recorded);
  return how;
}

const typesOf = (projection: AnyProjection, category: string): Readonly<Record<string, How>> | undefined =>
  (projection.on as Readonly<Record<string, Readonly<Record<string, How>>>>)[category];

/** The handler of an event, in a projection that applies events one by one. */
export function handlerOf(projection: AnyProjection, recorded: Recorded): Handler {
  const how = howOf(projection, recorded);
  if (typeof how !== 'function')
    throw new Error(`The projection ${projection.name} takes ${recorded.type} in no batch of its own`);
  return how;
}

/** The category of a stream, such as `notification`. */
export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
};
