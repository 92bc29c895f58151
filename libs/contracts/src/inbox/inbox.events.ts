import type { Instant } from '@carillon/eventing';

/** Stream `inbox-<account id>`: what the person marked, in order. */
export type InboxEvent = InboxItemRead | InboxItemUnread | InboxReadThrough;

export interface InboxItemRead {
  readonly type: 'InboxItemRead';
  readonly accountId: string;
  readonly itemId: string;
  readonly readAt: Instant;
}

export interface InboxItemUnread {
  readonly type: 'InboxItemUnread';
  readonly accountId: string;
  readonly itemId: string;
  readonly at: Instant;
}

/** Everything that a list showed up to its newest item, under the list's own filter. */
export interface InboxReadThrough {
  readonly type: 'InboxReadThrough';
  readonly accountId: string;
  readonly through: { readonly createdAt: Instant; readonly id: string };
  /** A project id, null for items without a project, absent for all. */
  readonly projectId?: string | null;
  /** The text that was searched for; null when its key is gone, absent when there was none. */
  readonly q?: string | null;
  readonly readAt: Instant;
}
