import { holdProjection } from '@carillon/event-store';
import { type DeleteBatch, keepDays, keptSince, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { deleteItems, deletePrompted, deleteReads } from './expired.entity';

/** Deletes what is past its time from the inboxes. */
@Injectable()
export class InboxCleanup extends PeriodicCleanup {
  protected readonly name = 'inbox';
  protected readonly everyMs = 60 * 1000;
  private readonly keptDays = keepDays();

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    if (this.keptDays === 0) return;
    const oldest = keptSince(this.clock.now(), this.keptDays);
    // Items first: those that are left need the marks that cover them.
    for (const expire of [deleteItems, deletePrompted, deleteReads])
      await untilNone(async (sql, limit) => {
        await holdProjection(sql, 'inbox');
        return expire(sql, oldest, limit);
      });
  }
}
