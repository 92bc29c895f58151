import type {
  AnyEvent,
  EventReceived,
  InteractionAsked,
  NotificationSent,
  PageNotified,
} from '@carillon/contracts';
import { type Instant, isOf, plus } from '@carillon/eventing';
import { isId } from '@carillon/signing';

/** The events that are pushed to phones. */
export type Pushed = Single | PageNotified;

/** The events that are one push, to all its devices. */
type Single = NotificationSent | EventReceived | InteractionAsked;

/** How long notifications, events and pages are sent to the providers; a prompt is sent until it expires. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** Whether the event is pushed. A prompt that is shown as a live activity is not. */
export const isPushed = (event: AnyEvent): event is Pushed =>
  isOf(event, 'NotificationSent', 'EventReceived', 'PageNotified') ||
  (isOf(event, 'InteractionAsked') && event.presentation === 'notification');

export interface Subject {
  readonly id: string;
  /** The account that owns the devices, or the pushed subject. */
  readonly accountId: string;
  /** The recipients besides the account. */
  readonly recipients: readonly string[];
  readonly deviceIds: readonly string[];
  readonly sentAt: Instant;
  /** When sending to the providers ends. */
  readonly expiresAt: Instant;
}

/** The pushes of an event: a step of a page is one push to each person. */
export function subjectsOf(event: Pushed): readonly Subject[] {
  if (event.type !== 'PageNotified') return [singleOf(event)];
  const { people, notifiedAt: sentAt } = event;
  return people
    .filter(({ deviceIds }) => deviceIds.length > 0)
    .map(({ accountId, pushId, deviceIds }) => ({
      id: pushId,
      accountId,
      recipients: [],
      deviceIds,
      sentAt,
      expiresAt: plus(sentAt, lifetimeMs),
    }));
}

function singleOf(event: Single): Subject {
  const { accountId, recipients = [], deviceIds } = event;
  return { accountId, recipients, deviceIds, ...displayOf(event) };
}

/** The id under which phones show the push, when it was sent, and when it expires. */
export function displayOf(event: Pushed): Pick<Subject, 'id' | 'sentAt' | 'expiresAt'> {
  switch (event.type) {
    case 'NotificationSent':
      return { id: event.notificationId, sentAt: event.sentAt, expiresAt: plus(event.sentAt, lifetimeMs) };
    case 'EventReceived':
      return { id: event.eventId, sentAt: event.receivedAt, expiresAt: plus(event.receivedAt, lifetimeMs) };
    case 'InteractionAsked':
      return { id: event.interactionId, sentAt: event.askedAt, expiresAt: event.expiresAt };
    case 'PageNotified':
      return { id: event.pageId, sentAt: event.notifiedAt, expiresAt: plus(event.notifiedAt, lifetimeMs) };
  }
}

const categories = new Map([
  ['anot', 'notification'],
  ['evt', 'event'],
  ['int', 'interaction'],
]);

/** The category of the stream whose first event is pushed under this id; undefined for a step of a page. */
export function sourceCategory(subjectId: string): string | undefined {
  const prefix = subjectId.slice(0, subjectId.indexOf('_'));
  return isId(subjectId, prefix) ? categories.get(prefix) : undefined;
}
