import { Database } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { keptForMs, maxMissed } from './changes';

const everyMs = 10 * 60 * 1000;

/** Throws away changes that nobody will be told any more. */
@Injectable()
export class ChangesWorker implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopListening = (): void => {};
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.sweep(), everyMs).unref();
    this.stopListening = this.clock.onAdvance(() => this.sweep());
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopListening();
    await this.sweeping;
  }

  sweep(): Promise<void> {
    this.sweeping = this.sweeping
      .then(() => this.dropOld())
      .then(() => this.dropMany())
      .catch((error: unknown) => this.logger.warn({ err: error }, 'Old changes were not thrown away'));
    return this.sweeping;
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
