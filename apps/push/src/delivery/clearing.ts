import type { AnyEvent, InteractionEnded, PushReceipt } from '@carillon/contracts';
import { isOf, type Recorded } from '@carillon/eventing';

/** How long an offline phone can still receive the command to remove a notification from its tray. */
export const clearingLifetimeMs = 24 * 60 * 60 * 1000;

/** The error code for a phone that never received the push and so has nothing to remove. */
export const notReached = 'not_reached';

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
