import { type DeleteBatch, keptSince, listedDays, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { mostDays } from '../delivery/deliveries';

/** Deletes deliveries that have ended and are no longer listed. */
@Injectable()
export class ReplyCleanup extends PeriodicCleanup {
  protected readonly name = 'replies';
  protected readonly everyMs = 60_000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const before = keptSince(this.clock.now(), listedDays(mostDays));
    await untilNone(async (sql, limit) => {
      const deleted = await sql.query(
        `DELETE FROM replies WHERE delivery_id IN (
           SELECT delivery_id FROM replies WHERE due_at IS NULL AND created_at < $1
           LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING 1`,
        [before, limit],
      );
      return deleted.length;
    });
  }
}
