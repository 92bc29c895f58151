import { Injectable } from '@nestjs/common';
import { keepDays } from '@carillon/settings';
import { type DeleteBatch, PeriodicCleanup } from './periodic-cleanup';
import { keptSince } from './retention';

/** A table that is not partitioned. */
export interface EndingRows {
  readonly table: string;
  /** Its column with the end of what a row is about, null before, or the expression of an index, in UTC. */
  readonly endedAt: string;
  /** For how many days the rows are needed, where the days that are kept may be fewer. */
  readonly neededDays?: number;
}

/** Deletes the rows of what ended before the days that are kept. */
@Injectable()
export abstract class EndedRows extends PeriodicCleanup {
  protected readonly name = 'ended rows';
  protected readonly everyMs = 60 * 60 * 1000;
  protected abstract readonly tables: readonly EndingRows[];
  private readonly keptDays = keepDays();

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    if (this.keptDays === 0) return;
    for (const { table, endedAt, neededDays = 0 } of this.tables) {
      const since = keptSince(this.clock.now(), Math.max(this.keptDays, neededDays));
      await untilNone(async (sql, limit) => {
        const deleted = await sql.query(
          `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM ${table} WHERE ${endedAt} <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`,
          [since, limit],
        );
        return deleted.length;
      });
    }
  }
}
