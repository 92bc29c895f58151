import { EndedRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

/** Deletes lines of the feed that are past their time, and so are not shown any more. */
@Injectable()
export class FeedCleanup extends EndedRows {
  protected readonly tables = [{ table: 'feed_items', endedAt: `(created_at AT TIME ZONE 'UTC')` }];
}
