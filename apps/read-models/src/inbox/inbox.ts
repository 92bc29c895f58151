import type { InboxEvent, InboxItemStatus } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';

/**
 * What a person marked in the inbox. The state that decisions need is in the projected rows, at the revision up to
 * which they hold the stream; so nothing is folded here, and the append expects exactly that revision.
 */
export const inbox: Decider<null, InboxEvent> = {
  category: 'inbox',
  initial: null,
  evolve: () => null,
  personal: { InboxReadThrough: ['q'], InboxItemRead: [], InboxItemUnread: [] },
};

/** Of which items title or body has a text, whatever its case: `parameter` is the `likeOf` it. */
export const hasText = (item: string, parameter: string): string =>
  `(${item}.title ILIKE ${parameter} OR ${item}.body ILIKE ${parameter})`;

/** The pattern that a text anywhere matches; signs that mean something in patterns are taken as they are. */
export const likeOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The part of a row that decides what a mark does. */
export interface Marked {
  readonly accountId: string;
  readonly itemId: string;
  readonly readAt: Instant | null;
}

export const markRead: Decision<Marked, InboxEvent, { at: Instant }> =
  ({ at }) =>
  ({ accountId, itemId, readAt }) =>
    readAt ? [] : [{ type: 'InboxItemRead', accountId, itemId, readAt: at }];

export const markUnread: Decision<Marked, InboxEvent, { at: Instant }> =
  ({ at }) =>
  ({ accountId, itemId, readAt }) =>
    readAt ? [{ type: 'InboxItemUnread', accountId, itemId, at }] : [];

/** How the push of an item stands, in the word that the API uses for it. */
export const statusOf = (accepted: number, targets: number, final: boolean): InboxItemStatus => {
  if (targets === 0) return 'no_devices';
  if (!final) return 'accepted';
  if (accepted === targets) return 'delivered';
  return accepted === 0 ? 'failed' : 'partial';
};
