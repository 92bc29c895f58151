import type { DomainEvent } from '@carillon/eventing';
import type { PublishedFields } from './record';
import type { Field } from './fields';

/** An event that knowingly stays in the log: secrets, bookkeeping, and what a person does in their own inbox. */
export const unpublished = 'unpublished';

/**
 * How an event of the log is told to the world. Ids, states, counts and times only: who may read the text asks for it
 * by id. It is a promise: fields may be added, never changed; a change of meaning is a new version of the type.
 */
interface Publication<Event> {
  /** The service that writes it, what it is about, and what happened to it. */
  readonly name: `${string}.${string}.${string}`;
  /** The field whose value ends the subject. */
  readonly id: keyof Omit<Event, 'type'> & string;
  /** The field that says when it happened. */
  readonly time: keyof Omit<Event, 'type'> & string;
  readonly summary: string;
  /** All that is published of it. What is not named stays in the log. */
  readonly data: PublishedFields<Omit<Event, 'type'>>;
}

/** What is published of each of these events. One that is neither published nor named so does not compile. */
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

/** Where it is published, up to the id. */
export const subjectPrefix = ({ name }: PublishedEvent): string => `evt.${name}`;

/** The type of the CloudEvent, with the version of its data. */
export const cloudEventType = ({ name }: PublishedEvent): string =>
  `com.carillon.${name.slice(name.indexOf('.') + 1)}.v1`;

/** The service that writes it. */
export const sourceOf = ({ name }: PublishedEvent): string =>
  `urn:carillon:${name.slice(0, name.indexOf('.'))}`;
