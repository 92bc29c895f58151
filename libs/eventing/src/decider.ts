import type { Instant } from './instant';

/** A domain event. Kept for ever: fields may be added, never renamed or reused. */
export interface DomainEvent {
  readonly type: string;
}

/**
 * A kind of stream: its category, its state, and how events change the state.
 * `evolve` is a switch without a default, so that a forgotten event type does not compile.
 */
export interface Decider<State, Event extends DomainEvent> {
  /** First half of the stream name: `<category>-<id>`. Lower case and `_` only. */
  readonly category: string;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /**
   * Fields of each event that hold a person's text or a secret. They are encrypted with the account's key
   * before the event leaves the process, so that deleting the key makes the history unreadable: they read as null then,
   * which their types must allow. They name every event type, so `fold` refuses any other.
   */
  readonly personal: Personal<Event>;
}

/** The personal fields by event type; each type must be listed, even without any. Untyped streams may list any. */
export type Personal<Event extends DomainEvent> = string extends Event['type']
  ? Readonly<Record<string, readonly string[]>>
  : { readonly [Each in Event as Each['type']]: readonly Nullable<Each>[] };

/** The fields that may be null. */
type Nullable<Event> = {
  [Field in keyof Event]-?: null extends Event[Field] ? Field : never;
}[keyof Event];

/** Decides from the state which events a request makes; none when it was executed before. Throws `Refused`. */
export type Decide<State, Event> = (state: State) => readonly Event[];

/** A decision waiting for its input: `cancel({ at })` is a `Decide`. */
export type Decision<State, Event, Input> = (input: Input) => Decide<State, Event>;

/**
 * Refused `event.unknown` at a type that the decider does not name: a newer version wrote the event, and a decision
 * without it would be wrong. Passing, since a replica of that version can decide.
 */
export const fold = <State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  events: Iterable<Event>,
  from: State = decider.initial,
): State => {
  let state = from;
  for (const event of events) {
    if (!Object.hasOwn(decider.personal, event.type))
      throw new Refused('event.unknown', { category: decider.category, type: event.type });
    state = decider.evolve(state, event);
  }
  return state;
};

/** A refusal of the domain. `reason` is `noun.why` in snake case; the gateway maps it to a status and a code. */
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
  'event.unknown',
  'event.withheld',
  'projection.behind',
  'store.outcome_unknown',
  'store.unavailable',
]);

/** True for a transient error: a component is unavailable or slow, and a retry may succeed. */
export const isPassing = (error: unknown): error is Refused =>
  error instanceof Refused && passing.has(error.reason);

/** The actor and the cause of an event; stored beside it. */
export interface EventMetadata {
  /** The command whose decision made the event; event ids derive from it. */
  readonly commandId: string;
  /** The event or command that caused this command, when a process issued it. */
  readonly causationId?: string;
  /** The id of the gateway request, shared by everything that follows from it. */
  readonly correlationId: string;
  /** The account that owns the data; its key encrypts the personal fields. */
  readonly accountId: string;
  readonly actor: Actor;
  /** The origin of requests that the audit log records. Sealed with the key of the acting account. */
  readonly origin?: Origin;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** Version of the event's shape, 1 when absent. */
  readonly schema?: number;
  /**
   * The partition of the stream, 0 when absent. A command may name it for a new stream; else the log sets that of the
   * account or team which owns it.
   */
  readonly partition?: number;
  /** The other partitions whose rows the event changes, such as those of recipients; the log sets it. */
  readonly alsoIn?: readonly number[];
}

/** Fields are null when unknown, or erased with the account. */
export interface Origin {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

export interface Actor {
  readonly accountId?: string;
  readonly tokenId?: string;
  readonly sessionId?: string;
  /** A process of Carillon, such as `push.delivery`. */
  readonly process?: string;
}

/** An event as read from the log. */
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
   * The part that can never be decrypted: its personal fields, which are then null, or all, so that it is ignored.
   */
  readonly unreadable?: 'personal' | 'all';
  /**
   * The event was not read, since nothing in this process applies it now: of its fields there is only the type, of its
   * metadata only the partitions.
   */
  readonly unread?: true;
}

type OfType<Event extends DomainEvent, Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

/** Whether an event is of one of these types. */
export const isOf = <Event extends DomainEvent, Type extends Event['type']>(
  event: Event,
  ...types: readonly Type[]
): event is OfType<Event, Type> => types.some((type) => type === event.type);

/** Groups that together contain every event type. */
type Complete<Event extends DomainEvent, Groups extends Readonly<Record<string, readonly string[]>>> =
  Exclude<Event['type'], Groups[keyof Groups][number]> extends never ? Groups : never;

/** Splits a batch into groups of types, each in order. A type that is in no group does not compile. */
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

/** The events of these types, in order. */
export const ofType = <Event extends DomainEvent, Type extends Event['type']>(
  events: readonly Recorded<Event>[],
  ...types: readonly Type[]
): OfType<Event, Type>[] => events.flatMap(({ event }) => (isOf(event, ...types) ? [event] : []));
