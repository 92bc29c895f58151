import type { DomainEvent } from '@carillon/eventing';
import type { PublishedFields } from './record';
import type { Field } from './fields';

/** Marks an event that is deliberately not published: secrets, bookkeeping, and actions in a person's own inbox. */
export const unpublished = 'unpublished';

/**
 * How an event of the log is published. Ids, states, counts and times only: consumers read the text by id, if they may.
 * This is a stable interface: fields may be added, never changed; a change of meaning needs a new version of the type.
 */
interface Publication<Event> {
  /** The service that writes the event, its subject, and what happened to that. */
  readonly name: `${string}.${string}.${string}`;
  /** The field with the id of what the event is about. */
  readonly id: keyof Omit<Event, 'type'> & string;
  /** The field with the time of the event. */
  readonly time: keyof Omit<Event, 'type'> & string;
  readonly summary: string;
  /** The published fields. All others stay in the log. */
  readonly data: PublishedFields<Omit<Event, 'type'>>;
}

/** The publication of each of these events. Leaving an event out, other than as `unpublished`, does not compile. */
export type Publications<Event extends DomainEvent> = {
  readonly [Each in Event as Each['type']]: Publication<Each> | typeof unpublished;
};

/** A publication of any event. */
export interface PublishedEvent {
  readonly name: string;
  readonly id: string;
  readonly time: string;
  readonly summary: string;
  readonly data: Readonly<Record<string, Field<never>>>;
}

/** The JetStream stream that holds all published events. */
export const publishedStream = 'EVT';
export const publishedSubjects = 'evt.>';
/** What each message says of itself: without it, readers of CloudEvents refuse it. */
export const cloudEventsMediaType = 'application/cloudevents+json';

/**
 * The NATS subject of the event. It has no id in it: a server keeps every subject of a stream in memory.
 */
export const subjectOf = ({ name }: PublishedEvent): string => `evt.${name}`;

/** The type of the CloudEvent, with the version of its data. */
export const cloudEventType = ({ name }: PublishedEvent): string =>
  `com.carillon.${name.slice(name.indexOf('.') + 1)}.v1`;

/** The service that writes it. */
export const sourceOf = ({ name }: PublishedEvent): string =>
  `urn:carillon:${name.slice(0, name.indexOf('.'))}`;
