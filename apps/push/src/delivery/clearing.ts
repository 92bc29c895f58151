import type { AnyEvent, InteractionEnded, PushReceipt } from '@carillon/contracts';
import { isOf, type Recorded } from '@carillon/eventing';

/** How long a phone that is away may learn that something is to leave its tray. */
export const clearingLifetimeMs = 24 * 60 * 60 * 1000;

/** A phone that never got the push has nothing to take away. */
export const notReached = 'not_reached';

const mark = 'withdraw:';

/** Taking a push off the phones is work of its own, with rows of its own, under this id. */
export const clearingOf = (subjectId: string): string => `${mark}${subjectId}`;

/** What is taken off the phones under this id; nothing when it is the id of a push itself. */
export const clearedBy = (id: string): string | undefined =>
  id.startsWith(mark) ? id.slice(mark.length) : undefined;

/** Under which id phones show what is to leave them: all steps of a page are one notification, under the page's own. */
export const shownIdOf = (subjectId: string, cause: Recorded<AnyEvent> | undefined): string =>
  (cause && 'pageId' in cause.event && cause.event.pageId) || subjectId;

/** The end of a prompt that phones show as a notification. */
export const isEnded = (event: AnyEvent): event is InteractionEnded =>
  isOf(event, 'InteractionAnswered', 'InteractionCanceled', 'InteractionExpired') &&
  event.presentation === 'notification';

/** Of the phones that may have had the push, how many providers took the command to remove it. */
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
