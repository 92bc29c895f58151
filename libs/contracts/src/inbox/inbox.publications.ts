import { type Publications, unpublished } from '../published/publication';
import type { InboxEvent } from './inbox.events';

export const inboxPublications: Publications<InboxEvent> = {
  InboxItemRead: unpublished,
  InboxItemsRead: unpublished,
  InboxItemUnread: unpublished,
  InboxReadThrough: unpublished,
};
