import { answers } from '../contract';
import { Int, OneOf, Optional } from '../validation/rules';

export const feedKinds = ['notification', 'live_activity', 'response'] as const;
export type FeedKind = (typeof feedKinds)[number];

export const feedPageSize = 20;

export interface FeedItem {
  id: string;
  kind: FeedKind;
  sourceName: string;
  sourceImageUrl: string | null;
  title: string;
  detail: string | null;
  url: string | null;
  result: string | null;
  createdAt: string;
}

export interface ActivityFeedPage {
  items: FeedItem[];
  page: number;
  pageSize: number;
  total: number;
}

export class ReadFeed {
  @Optional() @Int(1, 5000) page?: number;
  @Optional() @OneOf(feedKinds) kind?: FeedKind;
}

export const ActivityFeed = {
  read: answers<ActivityFeedPage>()('read-models.feed.read', ReadFeed),
};
