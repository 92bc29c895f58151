import {
  About,
  bool,
  Bool,
  count,
  exactly,
  id,
  Id,
  Int,
  list,
  ListOf,
  nullable,
  object,
  oneOf,
  oneOfKnown,
  Opaque,
  optional,
  Optional,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
  When,
} from '@carillon/schema';
import { AppSummary } from '../app-summary';
import { answers } from '../contract';
import { bodyFormats } from '../notifications/notifications.contracts';
import { nextCursor, ListQuery } from '../list-page';
import { PushReceipt } from '../push/push.contracts';

export const InboxProject = resource('InboxProject', {
  projectId: nullable(text('Null for all that has no project.')),
  name: text(),
  unreadCount: count(),
  totalCount: count(),
  latestTitle: nullable(text()),
  latestPreview: nullable(text()),
  latestImageUrl: nullable(uri()),
  latestAt: nullable(when()),
});
export type InboxProject = Static<typeof InboxProject>;

export const InboxProjects = resource('InboxProjects', {
  projects: list(InboxProject),
  totalUnread: count('In all projects, on whichever page.'),
  nextCursor,
});
export type InboxProjects = Static<typeof InboxProjects>;

export const InboxItemSummary = resource(
  'InboxNotificationSummary',
  {
    id: id(['event:evt', 'notification:anot']),
    origin: oneOf(
      ['event', 'notification'],
      '`event` came by a webhook service, `notification` from an agent.',
    ),
    projectId: nullable(text()),
    projectName: nullable(text()),
    sourceName: text(),
    sourceImageUrl: nullable(uri()),
    title: text(),
    preview: text('The summary, else the beginning of the body as plain text.'),
    url: nullable(uri()),
    bodyFormat: oneOf(bodyFormats),
    readAt: nullable(when()),
    createdAt: when(),
    app: nullable(AppSummary),
  },
  'One item of the inbox, without its body.',
);
export type InboxItemSummary = Static<typeof InboxItemSummary>;

export const InboxPage = resource('InboxNotificationPage', {
  items: list(InboxItemSummary),
  nextCursor,
  readThroughToken: text('Give it to `read-all` to mark what this list could show, and nothing newer.'),
});
export type InboxPage = Static<typeof InboxPage>;

const inboxItemStatuses = [
  'accepted',
  'delivered',
  'partial',
  'failed',
  'no_devices',
  'limited',
  'withdrawn',
  'withdraw_partial',
] as const;
export type InboxItemStatus = (typeof inboxItemStatuses)[number];

export const InboxItemDetail = resource('InboxNotificationDetail', {
  ...InboxItemSummary.properties,
  body: text(),
  summary: nullable(text()),
  status: nullable(oneOfKnown(inboxItemStatuses, 'What became of the push; null when there was none.')),
  pushReceipts: optional(list(PushReceipt)),
});
export type InboxItemDetail = Static<typeof InboxItemDetail>;

export const ReadMark = resource('ReadMark', {
  ok: exactly(true),
  readAt: nullable(when()),
  idempotent: optional(bool('True when nothing had to change.')),
});
export type ReadMark = Static<typeof ReadMark>;

const ReadMarks = object({ ...ReadMark.properties, updated: count('How many were unread until now.') });

export class ListProjects {
  @About('How many projects a page has at most; 200 unless said.') @Optional() @Int(1, 500) limit?: number;
  @About('`nextCursor` of the page before.') @Optional() @Opaque(1, 512) cursor?: string;
}

export class ListInbox extends ListQuery {
  @About('Only this project; `none` is what has no project.') @Optional() @Text(1, 64) projectId?: string;
  @About('True for what is unread, false for what is read.') @Optional() @Bool() unread?: boolean;
  @About('A text in title or body, in any case.') @Optional() @Text(1, 100) q?: string;
}

export class InboxItem {
  @About('`event:evt_…` or `notification:anot_…`.') @Id() id!: string;
}

export class ReadThrough {
  @About('As a list of the inbox gave it.') @Opaque(1, 2048) readThroughToken!: string;
}

export class SentCountsOf {
  @ListOf(Id.rule('usr'), { min: 1, max: 100, unique: true }) accountIds!: string[];
  @When() since!: string;
}

const ofItem = ['inbox_item.not_found'];

export const Inbox = {
  projects: answers(InboxProjects)(
    'read-models.inbox.projects',
    ListProjects,
    ['list.invalid_cursor'],
    'always',
  ),
  list: answers(InboxPage)('read-models.inbox.list', ListInbox, ['list.invalid_cursor'], 'always'),
  get: answers(InboxItemDetail)('read-models.inbox.get', InboxItem, ofItem, 'always'),
  readAll: answers(ReadMarks)(
    'read-models.inbox.read-all',
    ReadThrough,
    ['inbox.invalid_read_token'],
    'always',
  ),
  read: answers(ReadMark)('read-models.inbox.read', InboxItem, ofItem, 'always'),
  /** For an operator: how many items each account has sent since then; of one account 10,000 are counted at most. */
  sentCounts: answers<{ counts: Record<string, number> }>()(
    'read-models.inbox.sent-counts',
    SentCountsOf,
    [],
    'always',
  ),
  unread: answers(ReadMark)('read-models.inbox.unread', InboxItem, ofItem, 'always'),
};
