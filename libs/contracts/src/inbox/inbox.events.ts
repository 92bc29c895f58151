import type { Instant } from '@carillon/eventing';

/** Stream `inbox-<account id>`: the read marks of the person, in order. */
export type InboxEvent = InboxItemRead | InboxItemsRead | InboxItemUnread | InboxReadThrough;

export interface InboxItemRead {
  readonly type: 'InboxItemRead';
  readonly accountId: string;
  readonly itemId: string;
  readonly readAt: Instant;
}

/** Some of the items that a search found were marked; a search of many gives many of these. */
export interface InboxItemsRead {
  readonly type: 'InboxItemsRead';
  readonly accountId: string;
  readonly itemIds: readonly string[];
  readonly readAt: Instant;
}

export interface InboxItemUnread {
  readonly type: 'InboxItemUnread';
  readonly accountId: string;
  readonly itemId: string;
  readonly at: Instant;
}

/** All items up to the newest one of a list were marked. */
export interface InboxReadThrough {
  readonly type: 'InboxReadThrough';
  readonly accountId: string;
  readonly through: { readonly createdAt: Instant; readonly id: string };
  /** A project id, null for items without a project, absent for all. */
  readonly projectId?: string | null;
  readonly readAt: Instant;
}
