import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ActivityFeed,
  type ActivityFeedPage,
  type FeedItem,
  type FeedKind,
  feedPageSize,
  ReadFeed,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Controller, Inject } from '@nestjs/common';

interface FeedRow {
  total: string;
  /** The page as JSON: the total is there also when the page is empty. */
  items: readonly {
    feed_id: string;
    kind: FeedKind;
    source_name: string;
    source_image_url: string | null;
    title: string;
    detail: string | null;
    url: string | null;
    result: string | null;
    created_at: string;
  }[];
}

/**
 * Total and page of one moment. The page is found along the index alone, from its nearer end: the total says which
 * that is.
 */
const pageOf = (kind: boolean): string => {
  const matching = `account_id = $1${kind ? ` AND kind = $4` : ''}`;
  const walk = (direction: 'ASC' | 'DESC', offset: string, limit: string): string =>
    `SELECT feed_id FROM feed_items WHERE ${matching}
     ORDER BY created_at ${direction}, feed_id ${direction} OFFSET ${offset} LIMIT ${limit}`;
  return `
    WITH whole AS (SELECT coalesce(sum(total), 0)::bigint AS total FROM feed_totals WHERE ${matching}),
    page AS (
      (${walk('DESC', '$2::bigint', `(SELECT CASE WHEN $2::bigint * 2 <= total THEN $3::bigint ELSE 0 END FROM whole)`)})
      UNION ALL
      (${walk(
        'ASC',
        `(SELECT greatest(0, total - $2::bigint - $3::bigint) FROM whole)`,
        `(SELECT CASE WHEN $2::bigint * 2 > total
            THEN greatest(0, least($3::bigint, total - $2::bigint)) ELSE 0 END FROM whole)`,
      )})
    )
    SELECT whole.total, coalesce((
      SELECT json_agg(i ORDER BY i.created_at DESC, i.feed_id DESC) FROM page JOIN feed_items i USING (feed_id)
    ), '[]') AS items FROM whole`;
};
const statements = { all: pageOf(false), ofKind: pageOf(true) };

@Controller()
export class FeedHandlers {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  @Handles(ActivityFeed.read)
  async read({ page = 1, kind }: ReadFeed, context: Context): Promise<Answer<ActivityFeedPage>> {
    await this.projections.reached('feed', context.after);
    const [row] = await this.database.query<FeedRow>(kind ? statements.ofKind : statements.all, [
      context.caller.accountId,
      (page - 1) * feedPageSize,
      feedPageSize,
      ...(kind ? [kind] : []),
    ]);
    return answer({
      items: (row?.items ?? []).map(shown),
      page,
      pageSize: feedPageSize,
      total: Number(row?.total ?? 0),
    });
  }
}

const shown = (item: FeedRow['items'][number]): FeedItem => ({
  id: item.feed_id,
  kind: item.kind,
  sourceName: item.source_name,
  sourceImageUrl: item.source_image_url,
  title: item.title,
  detail: item.detail,
  url: item.url,
  result: item.result,
  createdAt: new Date(item.created_at).toISOString(),
});
