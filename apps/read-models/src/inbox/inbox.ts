import type { InboxEvent, InboxItemStatus } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';

/**
 * The marks of a person in the inbox. Decisions use the projected rows, which also hold the revision of the stream that
 * they contain; so nothing is folded here, and the append expects exactly that revision.
 */
export const inbox: Decider<null, InboxEvent> = {
  category: 'inbox',
  initial: null,
  evolve: () => null,
  personal: { InboxItemRead: [], InboxItemsRead: [], InboxItemUnread: [], InboxReadThrough: [] },
};

/** The LIKE pattern of a text at any position, with special characters escaped. */
export const likeOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The fields of a row that decide the effect of a mark. */
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

/** The push status of an item in the API. */
export const statusOf = (accepted: number, targets: number, final: boolean): InboxItemStatus => {
  if (targets === 0) return 'no_devices';
  if (!final) return 'accepted';
  if (accepted === targets) return 'delivered';
  return accepted === 0 ? 'failed' : 'partial';
};
