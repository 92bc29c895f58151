import { Database } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { Sweep } from '../sweep/sweep.worker';
import { keptForMs, maxMissed } from './changes';

/** Deletes changes that are too old to be sent. */
@Injectable()
export class ChangesWorker extends Sweep {
  protected readonly everyMs = 10 * 60 * 1000;
  protected readonly failure = 'Failed to delete old changes: the next sweep tries again';

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(clock, logger);
  }

  protected async drop(): Promise<void> {
    await this.dropOld();
    await this.dropMany();
  }

  /** Records the position of the deletion: a request from before it is answered with a reset. */
  private async dropOld(): Promise<void> {
    await this.database.query(
      `WITH dropped AS (DELETE FROM changes WHERE at < $1 RETURNING position)
       INSERT INTO changes_dropped AS d (one, position)
       SELECT true, max(position) FROM dropped HAVING max(position) IS NOT NULL
       ON CONFLICT (one) DO UPDATE SET position = greatest(d.position, excluded.position)`,
      [instant(this.clock.ms() - keptForMs)],
    );
  }

  /** Keeps for each account as many changes as a request can get, and one more to detect that there were more. */
  private async dropMany(): Promise<void> {
    await this.database.query(
      `DELETE FROM changes c USING (
         SELECT account_id, position FROM (
           SELECT account_id, position, row_number() OVER (PARTITION BY account_id ORDER BY position DESC) AS nth
           FROM changes) numbered
         WHERE nth = $1) oldest
       WHERE c.account_id = oldest.account_id AND c.position < oldest.position`,
      [maxMissed + 1],
    );
  }
}
