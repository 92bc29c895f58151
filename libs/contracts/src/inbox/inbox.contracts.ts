import { answers } from '../contract';
import type { BodyFormat } from '../notifications/notifications.contracts';
import type { PushReceipt } from '../push/push.contracts';
import { Bool, Id, Opaque, Optional, Paged, Text } from '../validation/rules';
import { Nothing } from '../contract';

export interface AppSummary {
  id: string;
  name: string;
  origin: string;
  iconUrl: string | null;
}

export interface InboxProject {
  projectId: string | null;
  name: string;
  unreadCount: number;
  totalCount: number;
  latestTitle: string | null;
  latestPreview: string | null;
  latestImageUrl: string | null;
  latestAt: string | null;
}

export interface InboxProjects {
  projects: InboxProject[];
  totalUnread: number;
}

export interface InboxItemSummary {
  id: string;
  origin: 'event' | 'notification';
  projectId: string | null;
  projectName: string | null;
  sourceName: string;
  sourceImageUrl: string | null;
  title: string;
  preview: string;
  url: string | null;
  bodyFormat: BodyFormat;
  readAt: string | null;
  createdAt: string;
  app: AppSummary | null;
}

export interface InboxPage {
  items: InboxItemSummary[];
  nextCursor: string | null;
  readThroughToken: string;
}

export type InboxItemStatus =
  | 'accepted'
  | 'delivered'
  | 'partial'
  | 'failed'
  | 'no_devices'
  | 'limited'
  | 'withdrawn'
  | 'withdraw_partial';

export interface InboxItemDetail extends InboxItemSummary {
  body: string;
  summary: string | null;
  status: InboxItemStatus | null;
  pushReceipts?: PushReceipt[];
}

export interface ReadMark {
  ok: true;
  readAt: string | null;
  idempotent?: boolean;
}

export class ListInbox extends Paged {
  /** `none` means: without a project. */
  @Optional() @Text(1, 64) projectId?: string;
  @Optional() @Bool() unread?: boolean;
  @Optional() @Text(1, 100) q?: string;
}

export class InboxItem {
  /** `event:evt_…` or `notification:anot_…`. */
  @Id() id!: string;
}

export class ReadThrough {
  @Opaque(1, 1024) readThroughToken!: string;
}

export const Inbox = {
  projects: answers<InboxProjects>()('read-models.inbox.projects', Nothing),
  list: answers<InboxPage>()('read-models.inbox.list', ListInbox),
  get: answers<InboxItemDetail>()('read-models.inbox.get', InboxItem),
  readAll: answers<ReadMark & { updated: number }>()('read-models.inbox.read-all', ReadThrough),
  read: answers<ReadMark>()('read-models.inbox.read', InboxItem),
  unread: answers<ReadMark>()('read-models.inbox.unread', InboxItem),
};
