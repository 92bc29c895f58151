import type { EventReceived, NotificationSent } from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';
import { type Entry, entryOf } from './entry';

/** What happened in each account, merged, and how much of it there is. */
@Injectable()
export class FeedProjection extends Projection {
  readonly name = 'feed';
  readonly tables = ['feed_items', 'feed_totals'];
  readonly categories = ['notification', 'event'];
  readonly handles = ['NotificationSent', 'EventReceived'];
  readonly ignores = ['NotificationWithdrawn'];

  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    const entries = events
      .map(({ event }) => entryOf(event as NotificationSent | EventReceived))
      .filter((entry): entry is Entry => entry !== undefined);
    if (entries.length === 0) return;
    await sql.query(
      `INSERT INTO feed_items (feed_id, account_id, kind, source_name, source_image_url, title, detail, url, result,
         created_at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::timestamptz[])`,
      [
        entries.map((entry) => entry.id),
        entries.map((entry) => entry.accountId),
        entries.map((entry) => entry.kind),
        entries.map((entry) => entry.sourceName),
        entries.map((entry) => entry.sourceImageUrl),
        entries.map((entry) => entry.title),
        entries.map((entry) => entry.detail),
        entries.map((entry) => entry.url),
        entries.map((entry) => entry.result),
        entries.map((entry) => entry.at),
      ],
    );
    await sql.query(
      `INSERT INTO feed_totals AS t (account_id, kind, total)
       SELECT account_id, kind, count(*) FROM unnest($1::text[], $2::text[]) AS n (account_id, kind) GROUP BY 1, 2
       ON CONFLICT (account_id, kind) DO UPDATE SET total = t.total + excluded.total`,
      [entries.map((entry) => entry.accountId), entries.map((entry) => entry.kind)],
    );
  }
}
