import { Database } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { Sweep } from '../sweep/sweep.worker';
import { keptForMs, maxMissed } from './changes';

/** Throws away changes that nobody will be told any more. */
@Injectable()
export class ChangesWorker extends Sweep {
  protected readonly everyMs = 10 * 60 * 1000;
  protected readonly failure = 'Old changes were not thrown away';

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

  /** How far that went is noted: who asks from before it cannot be told what is missing. */
  private async dropOld(): Promise<void> {
    await this.database.query(
      `WITH dropped AS (DELETE FROM changes WHERE at < $1 RETURNING position)
       INSERT INTO changes_dropped AS d (one, position)
       SELECT true, max(position) FROM dropped HAVING max(position) IS NOT NULL
       ON CONFLICT (one) DO UPDATE SET position = greatest(d.position, excluded.position)`,
      [instant(this.clock.ms() - keptForMs)],
    );
  }

  /** Of each account as many stay as are ever told, and one to see that there were more. */
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
