import type { AnyEvent, InteractionEnded, PushReceipt } from '@carillon/contracts';
import { isOf, type Recorded } from '@carillon/eventing';
import { subscriptionIn } from '../transport/subscription';

/** How long an offline phone can still receive the command to remove a notification from its tray. */
export const clearingLifetimeMs = 24 * 60 * 60 * 1000;

/** The error code for a phone that never received the push and so has nothing to remove. */
export const notReached = 'not_reached';

/** The error code for a browser from which nothing can be removed before its page opens. */
export const notClearable = 'not_clearable';

/**
 * Whether a browser's push service is Apple's, which takes a subscription away after three pushes that ring nobody: it
 * is sent no clearing.
 */
export const isApple = (token: string): boolean => {
  const { hostname } = new URL(subscriptionIn(token).endpoint);
  return hostname === 'push.apple.com' || hostname.endsWith('.push.apple.com');
};

/** What a browser shows in the place of a notification that is cleared. `person` is the name of who ended it. */
export function titleOfEnd(event: AnyEvent | undefined, person?: string): string {
  switch (event?.type) {
    case 'InteractionAnswered':
      return person === undefined ? 'Answered' : `Answered by ${person}`;
    case 'InteractionCanceled':
      return 'Canceled';
    case 'InteractionExpired':
      return 'Expired';
    case 'PageAcknowledged':
      return 'Acknowledged';
    case 'PageResolved':
      return 'Resolved';
    default:
      return 'Withdrawn';
  }
}

const mark = 'withdraw:';

/** Clearing a push from the phones has its own tasks and rows, under this id. */
export const clearingOf = (subjectId: string): string => `${mark}${subjectId}`;

/** The push that is cleared under this id; undefined when the id is that of a push itself. */
export const clearedBy = (id: string): string | undefined =>
  id.startsWith(mark) ? id.slice(mark.length) : undefined;

/**
 * The id under which phones show the notification to remove: all steps of a page are one notification, under the page's
 * id.
 */
export const notificationIdOf = (subjectId: string, cause: Recorded<AnyEvent> | undefined): string =>
  (cause && 'pageId' in cause.event && cause.event.pageId) || subjectId;

/** Whether the event ends a prompt that phones show as a notification. */
export const isEnded = (event: AnyEvent): event is InteractionEnded =>
  isOf(event, 'InteractionAnswered', 'InteractionCanceled', 'InteractionExpired') &&
  event.presentation === 'notification';

/**
 * Counts the phones that may have received the push, and those for which the provider accepted the command to remove
 * it.
 */
export function clearingResult(receipts: readonly PushReceipt[]): {
  readonly reached: number;
  readonly cleared: number;
} {
  const reached = receipts.filter(({ errorCode }) => errorCode !== notReached);
  return {
    reached: reached.length,
    cleared: reached.filter(({ status }) => status === 'accepted').length,
  };
}
