import {
  count,
  int,
  Int,
  list,
  nullable,
  oneOf,
  OneOf,
  Optional,
  resource,
  type Static,
  text,
  uri,
  when,
} from '@carillon/schema';
import { answers } from '../contract';

const feedKinds = ['notification', 'live_activity', 'response'] as const;
export type FeedKind = (typeof feedKinds)[number];

export const feedPageSize = 20;

export const FeedItem = resource('ActivityFeedItem', {
  id: text(),
  kind: oneOf(feedKinds),
  sourceName: text(),
  sourceImageUrl: nullable(uri()),
  title: text(),
  detail: nullable(text()),
  url: nullable(uri()),
  result: nullable(text('How a prompt ended; what became of a live activity.')),
  createdAt: when(),
});
export type FeedItem = Static<typeof FeedItem>;

export const ActivityFeedPage = resource('ActivityFeedPage', {
  items: list(FeedItem),
  page: int(),
  pageSize: int(),
  total: count('How many items there are on all pages.'),
});
export type ActivityFeedPage = Static<typeof ActivityFeedPage>;

export class ReadFeed {
  @Optional() @Int(1, 5000) page?: number;
  @Optional() @OneOf(feedKinds) kind?: FeedKind;
}

export const ActivityFeed = {
  read: answers(ActivityFeedPage)('read-models.feed.read', ReadFeed, [], 'always'),
};
