import {
  cloudEventType,
  keepFields,
  publishedEvents,
  sourceOf,
  subjectOf,
  unpublishedEvents,
} from '@carillon/contracts';
import type { Recorded } from '@carillon/eventing';
import { isId } from '@carillon/signing';

/** An event to publish. */
export interface Outgoing {
  /** The event's own id, by which consumers detect duplicates. */
  readonly id: string;
  readonly subject: string;
  /** The id of what it is about. */
  readonly about: string;
  readonly body: string;
}

/** Whether and how an event of the log is published. */
export type Publication =
  | { readonly publish: Outgoing; readonly unfit: readonly string[] }
  | { readonly skip: 'unpublished' | 'unaddressable' }
  | { readonly unknown: string };

const unpublished = new Set(unpublishedEvents);
const traceForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export const isKnown = (type: string): boolean =>
  Object.hasOwn(publishedEvents, type) || unpublished.has(type);

/** Whether the event type may be published; true for a type that is not known. */
export const mayPublish = (type: string): boolean => !unpublished.has(type);

/**
 * The CloudEvent for an event of the log. It has only the fields that the contract names for the type and whose values
 * are valid (`unfit` names the others), so that a mistake elsewhere cannot publish text.
 */
export function publicationOf({ id, type, position, event, metadata }: Recorded): Publication {
  if (!isKnown(type)) return { unknown: type };
  const entry = unpublished.has(type) ? undefined : publishedEvents[type];
  if (!entry) return { skip: 'unpublished' };
  const { data, unfit } = keepFields(entry.data, event);
  const subject = data[entry.id];
  const time = data[entry.time];
  if (!isId(subject) || time === undefined) return { skip: 'unaddressable' };
  const { traceparent } = metadata;
  const body = JSON.stringify({
    specversion: '1.0',
    id,
    source: sourceOf(entry),
    type: cloudEventType(entry),
    subject,
    time,
    datacontenttype: 'application/json',
    position: String(position),
    ...(traceparent && traceForm.test(traceparent) && { traceparent }),
    data,
  });
  return { publish: { id, subject: subjectOf(entry), about: subject, body }, unfit };
}
