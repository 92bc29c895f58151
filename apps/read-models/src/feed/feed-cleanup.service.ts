import type { Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { type DeleteBatch, keepDays, keptSince, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

/** Deletes lines of the feed that are past their time, and so are not shown any more. */
@Injectable()
export class FeedCleanup extends PeriodicCleanup {
  protected readonly name = 'feed';
  protected readonly everyMs = 60 * 60 * 1000;
  private readonly keptDays = keepDays();

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const before = keptSince(this.clock.now(), this.keptDays);
    await untilNone((sql, limit) => deleteLines(sql, before, limit));
  }
}

/** Never waits for a lock, so it cannot be part of a deadlock. */
async function deleteLines(sql: Sql, before: Instant, limit: number): Promise<number> {
  const deleted = await sql.query(
    `DELETE FROM feed_items WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM feed_items
       WHERE (created_at AT TIME ZONE 'UTC') < $1::timestamptz AT TIME ZONE 'UTC'
       LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`,
    [before, limit],
  );
  return deleted.length;
}
