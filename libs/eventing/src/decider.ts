import type { Instant } from './instant';

/** A fact of the domain. Kept for ever: fields may be added, never renamed or reused. */
export interface DomainEvent {
  readonly type: string;
}

/**
 * What a stream is about: its name, its state, and how the events make the state.
 * `evolve` is a switch without a default, so that a forgotten event does not compile.
 */
export interface Decider<State, Event extends DomainEvent> {
  /** First half of the stream name: `<category>-<id>`. Lower case and `_` only. */
  readonly category: string;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /**
   * Fields of each event that hold a person's text or a secret. They are encrypted with the account's key
   * before the event leaves the process, so that deleting the key makes the history unreadable: they read as null then,
   * which their types must allow.
   */
  readonly personal?: Personal<Event>;
}

/** By type the fields that are personal; a type without any says so. Of streams whose events are not known by type, any. */
export type Personal<Event extends DomainEvent> = string extends Event['type']
  ? Readonly<Record<string, readonly string[]>>
  : { readonly [Each in Event as Each['type']]: readonly Nullable<Each>[] };

/** The fields that may be null. */
type Nullable<Event> = {
  [Field in keyof Event]-?: null extends Event[Field] ? Field : never;
}[keyof Event];

/** From the state, the events that answer a request; none when it was answered before. Throws `Refused`. */
export type Decide<State, Event> = (state: State) => readonly Event[];

/** A decision waiting for its input: `cancel({ at })` is a `Decide`. */
export type Decision<State, Event, Input> = (input: Input) => Decide<State, Event>;

export const fold = <State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  events: Iterable<Event>,
  from: State = decider.initial,
): State => {
  let state = from;
  for (const event of events) state = decider.evolve(state, event);
  return state;
};

/** The domain says no. `reason` is `noun.why` in snake case; the gateway maps it to a status and a code. */
export class Refused extends Error {
  constructor(
    readonly reason: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(reason);
    this.name = 'Refused';
  }
}

const passing: ReadonlySet<string> = new Set([
  'bus.no_responders',
  'bus.timeout',
  'bus.unavailable',
  'caller.unproven',
  'database.unavailable',
  'projection.behind',
  'store.outcome_unknown',
  'store.unavailable',
]);

/** A part is away or slow. It is nobody's fault who asked, and the same may well be granted later. */
export const isPassing = (error: unknown): error is Refused =>
  error instanceof Refused && passing.has(error.reason);

/** Who asked for an event and what it follows from; stored beside it. */
export interface EventMetadata {
  /** The command whose decision made the event; event ids derive from it. */
  readonly commandId: string;
  /** The event or command that led to this command, when a process issued it. */
  readonly causationId?: string;
  /** The request at the edge that everything of one story shares. */
  readonly correlationId: string;
  /** Whose data it is: picks the key for the personal fields. */
  readonly accountId: string;
  readonly actor: Actor;
  /** Where the request came from, of requests whose audit log tells it. Sealed with the key of the acting account. */
  readonly origin?: Origin;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** Version of the event's shape, 1 when absent. */
  readonly schema?: number;
}

/** Null where it is not known, or was erased with its account. */
export interface Origin {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

export interface Actor {
  readonly accountId?: string;
  readonly tokenId?: string;
  readonly sessionId?: string;
  /** A process of ours, such as `push.delivery`. */
  readonly process?: string;
}

/** An event as the log gives it back. */
export interface Recorded<Event = DomainEvent> {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Position in the whole log; opaque, grows. */
  readonly position: bigint;
  readonly at: Instant;
  readonly type: string;
  readonly event: Event;
  readonly metadata: EventMetadata;
  /**
   * What of it can never be read: its personal fields, which are null then, or all, so that nothing follows from it.
   */
  readonly unreadable?: 'personal' | 'all';
}

type OfType<Event extends DomainEvent, Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

/** Whether an event is of one of these types. */
export const isOf = <Event extends DomainEvent, Type extends Event['type']>(
  event: Event,
  ...types: readonly Type[]
): event is OfType<Event, Type> => types.some((type) => type === event.type);

/** The types of groups, all of which there are. */
type Complete<Event extends DomainEvent, Groups extends Readonly<Record<string, readonly string[]>>> =
  Exclude<Event['type'], Groups[keyof Groups][number]> extends never ? Groups : never;

/** A batch by groups of types, each in its order. A type that is in no group does not compile. */
export function grouped<
  Event extends DomainEvent,
  const Groups extends Readonly<Record<string, readonly Event['type'][]>>,
>(
  events: readonly Recorded<Event>[],
  groups: Groups & Complete<Event, Groups>,
): { readonly [Group in keyof Groups]: OfType<Event, Groups[Group][number]>[] } {
  const found = Object.entries<readonly Event['type'][]>(groups).map(
    ([name, types]) => [name, ofType(events, ...types)] as const,
  );
  return Object.fromEntries(found) as { [Group in keyof Groups]: OfType<Event, Groups[Group][number]>[] };
}

/** Those of some types, in their order. */
export const ofType = <Event extends DomainEvent, Type extends Event['type']>(
  events: readonly Recorded<Event>[],
  ...types: readonly Type[]
): OfType<Event, Type>[] => events.flatMap(({ event }) => (isOf(event, ...types) ? [event] : []));
