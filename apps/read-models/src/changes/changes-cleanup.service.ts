import { columns } from '@carillon/event-store';
import { type DeleteBatch, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { maxMissed } from './changes';

/** Deletes the changes of an account that are more than a request can get. */
@Injectable()
export class ChangesCleanup extends PeriodicCleanup {
  protected readonly name = 'changes';
  protected readonly everyMs = 10 * 60 * 1000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    await untilNone(deleteMissed(await this.oldestKept()));
  }

  /** The oldest change to keep of each account that has more of them than a request can get. */
  private oldestKept(): Promise<OldestKept[]> {
    return this.database.transaction((sql) =>
      sql.query<OldestKept>(
        `SELECT account_id, oldest.position
         FROM (SELECT account_id FROM changes GROUP BY account_id HAVING count(*) > $1) many,
           LATERAL (SELECT position FROM changes c WHERE c.account_id = many.account_id
             ORDER BY position DESC OFFSET $1 - 1 LIMIT 1) oldest`,
        [maxKept],
      ),
    );
  }
}

interface OldestKept {
  readonly account_id: string;
  readonly position: string;
}

/** As many changes as a request can get, and one more to detect that there were more. */
const maxKept = maxMissed + 1;

const deleteMissed = (kept: readonly OldestKept[]): DeleteBatch => {
  const given = columns({ account_id: 'text', position: 'bigint' }, kept, (row) => row, { from: 2 });
  return async (sql, limit) => {
    const deleted = await sql.query(
      `WITH due AS (
         SELECT c.account_id, c.position FROM ${given.rows}
         JOIN changes c ON c.account_id = n.account_id AND c.position < n.position
         LIMIT $1 FOR UPDATE OF c SKIP LOCKED)
       DELETE FROM changes c USING due WHERE c.account_id = due.account_id AND c.position = due.position
       RETURNING 1`,
      [limit, ...given.values],
    );
    return deleted.length;
  };
};
