import { instant } from '@carillon/eventing';
import { type DeleteBatch, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

/** How long after its deadline the lane of an activity is kept. */
const keptForMs = 24 * 60 * 60_000;

/** Deletes the lanes of activities whose deadline is long past. */
@Injectable()
export class LaneCleanup extends PeriodicCleanup {
  protected readonly name = 'lanes';
  protected readonly everyMs = 60_000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const before = instant(this.clock.ms() - keptForMs);
    await untilNone(async (sql, limit) => {
      const deleted = await sql.query(
        `DELETE FROM lanes WHERE (activity_id, device_id) IN (
           SELECT activity_id, device_id FROM lanes WHERE expires_at < $1 AND owner IS NULL
           LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING 1`,
        [before, limit],
      );
      return deleted.length;
    });
  }
}
