import type { EventReceived, NotificationSent } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { isId } from '@carillon/signing';

/** What is pushed to phones. */
export type Pushed = NotificationSent | EventReceived;

export const pushedTypes = ['NotificationSent', 'EventReceived'] as const;

/** What a push is about, and when it began. */
export function subjectOf(event: Pushed): { readonly id: string; readonly sentAt: Instant } {
  switch (event.type) {
    case 'NotificationSent':
      return { id: event.notificationId, sentAt: event.sentAt };
    case 'EventReceived':
      return { id: event.eventId, sentAt: event.receivedAt };
  }
}

/** The category of the stream that begins with what is pushed under this id. */
export function sourceCategory(subjectId: string): string | undefined {
  if (isId(subjectId, 'anot')) return 'notification';
  return isId(subjectId, 'evt') ? 'event' : undefined;
}
