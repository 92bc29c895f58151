import type {
  AnyEvent,
  EventReceived,
  InteractionAsked,
  NotificationSent,
  PageNotified,
} from '@carillon/contracts';
import { type Instant, isOf, plus } from '@carillon/eventing';
import { isId } from '@carillon/signing';

/** What is pushed to phones. */
export type Pushed = Single | PageNotified;

/** What is one push, to all devices that it goes to. */
type Single = NotificationSent | EventReceived | InteractionAsked;

/** Notifications, events and pages are offered to the providers so long; a prompt as long as it can be answered. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** A prompt that is shown as a live activity is no push of this kind. */
export const isPushed = (event: AnyEvent): event is Pushed =>
  isOf(event, 'NotificationSent', 'EventReceived', 'PageNotified') ||
  (isOf(event, 'InteractionAsked') && event.presentation === 'notification');

export interface Subject {
  readonly id: string;
  /** Whose devices they are, or whose the thing is. */
  readonly accountId: string;
  /** Who has it beside the account. */
  readonly recipients: readonly string[];
  readonly deviceIds: readonly string[];
  readonly sentAt: Instant;
  /** Until when it is offered to the providers. */
  readonly expiresAt: Instant;
}

/** The pushes that follow from an event: of a step of a page, one to each person. */
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
  return { accountId, recipients, deviceIds, ...shownOf(event) };
}

/** Under which id phones show it, when it began, and until when it is worth anything. */
export function shownOf(event: Pushed): Pick<Subject, 'id' | 'sentAt' | 'expiresAt'> {
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

/** The category of the stream that begins with what is pushed under this id; none for one of many steps of a page. */
export function sourceCategory(subjectId: string): string | undefined {
  const prefix = subjectId.slice(0, subjectId.indexOf('_'));
  return isId(subjectId, prefix) ? categories.get(prefix) : undefined;
}
