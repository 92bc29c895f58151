import type { AnyEvent, EventReceived, InteractionAsked, NotificationSent } from '@carillon/contracts';
import { type Instant, isOf, plus } from '@carillon/eventing';
import { isId } from '@carillon/signing';

/** What is pushed to phones. */
export type Pushed = NotificationSent | EventReceived | InteractionAsked;

/** Notifications and events are offered to the providers so long; a prompt as long as it can be answered. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** A prompt that is shown as a live activity is no push of this kind. */
export const isPushed = (event: AnyEvent): event is Pushed =>
  isOf(event, 'NotificationSent', 'EventReceived') ||
  (isOf(event, 'InteractionAsked') && event.presentation === 'notification');

export interface Subject {
  readonly id: string;
  readonly sentAt: Instant;
  /** Until when it is offered to the providers. */
  readonly expiresAt: Instant;
}

/** What a push is about, when it began, and until when it is worth anything. */
export function subjectOf(event: Pushed): Subject {
  switch (event.type) {
    case 'NotificationSent':
      return { id: event.notificationId, sentAt: event.sentAt, expiresAt: plus(event.sentAt, lifetimeMs) };
    case 'EventReceived':
      return { id: event.eventId, sentAt: event.receivedAt, expiresAt: plus(event.receivedAt, lifetimeMs) };
    case 'InteractionAsked':
      return { id: event.interactionId, sentAt: event.askedAt, expiresAt: event.expiresAt };
  }
}

const categories = new Map([
  ['anot', 'notification'],
  ['evt', 'event'],
  ['int', 'interaction'],
]);

/** The category of the stream that begins with what is pushed under this id. */
export function sourceCategory(subjectId: string): string | undefined {
  const prefix = subjectId.slice(0, subjectId.indexOf('_'));
  return isId(subjectId, prefix) ? categories.get(prefix) : undefined;
}
