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
import { Clock, keepDays, keptSince } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { lineText } from './forgotten-lines.worker';

interface FeedRow {
  total: string;
  /** null where the page is empty: the total is there all the same. */
  feed_id: string | null;
  kind: FeedKind;
  source_name: string;
  source_image_url: string | null;
  title: string;
  detail: string | null;
  url: string | null;
  result: string | null;
  created_at: Date;
}

/**
 * Reads total and page in one snapshot. Lines are numbered from the oldest, so that a page is a range of numbers; the
 * number of the oldest line of a kind that is kept says how many lines of the kind are past their time.
 */
const pageBy = (rank: 'rank' | 'kind_rank', ofKind: string): string => `
  SELECT whole.kept AS total, page.* FROM
    (SELECT coalesce(sum(total), 0)::bigint AS last, coalesce(sum(total - first.kind_rank + 1), 0)::bigint AS kept
     FROM feed_totals t LEFT JOIN LATERAL (
       SELECT kind_rank FROM feed_items f
       WHERE f.account_id = t.account_id AND f.kind = t.kind AND f.created_at >= $4
       ORDER BY f.created_at, f.feed_id LIMIT 1
     ) first ON true
     WHERE account_id = $1 ${ofKind}) whole
  LEFT JOIN LATERAL (
    SELECT feed_id, kind, result, created_at, ${lineText.columns}, ${rank} AS number
    FROM feed_items ${lineText.join}
    WHERE account_id = $1 ${ofKind} AND created_at >= $4
      AND ${rank} <= whole.last - $2::bigint AND ${rank} > whole.last - $2::bigint - $3::bigint
  ) page ON true
  ORDER BY page.number DESC`;
const statements = { all: pageBy('rank', ''), ofKind: pageBy('kind_rank', 'AND kind = $5') };

@Controller()
export class FeedHandlers {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(ActivityFeed.read)
  async read({ page = 1, kind }: ReadFeed, context: Context): Promise<Answer<ActivityFeedPage>> {
    await this.projections.reached('feed', context.after, context.caller.accountId);
    const rows = await this.database.query<FeedRow>(kind ? statements.ofKind : statements.all, [
      context.caller.accountId,
      (page - 1) * feedPageSize,
      feedPageSize,
      keptSince(this.clock.now(), this.keptDays),
      ...(kind ? [kind] : []),
    ]);
    return answer({
      items: rows.flatMap((row) => (row.feed_id === null ? [] : [shown(row, row.feed_id)])),
      page,
      pageSize: feedPageSize,
      total: Number(rows[0]?.total ?? 0),
    });
  }
}

const shown = (row: FeedRow, id: string): FeedItem => ({
  id,
  kind: row.kind,
  sourceName: row.source_name,
  sourceImageUrl: row.source_image_url,
  title: row.title,
  detail: row.detail,
  url: row.url,
  result: row.result,
  createdAt: row.created_at.toISOString(),
});
