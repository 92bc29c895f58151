import { Database } from '@carillon/event-store';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { Sweep } from '../sweep/sweep.worker';
import { dropOld } from './retentions.entity';

/** Deletes events that are no longer listed. */
@Injectable()
export class EventsWorker extends Sweep {
  protected readonly everyMs = 60 * 60 * 1000;
  protected readonly failure = 'Failed to delete old events: the next sweep tries again';

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(clock, logger);
  }

  protected async drop(): Promise<void> {
    await dropOld(this.database, this.clock.now());
  }
}
