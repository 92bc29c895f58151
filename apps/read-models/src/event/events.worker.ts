import { Database } from '@carillon/event-store';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { Sweep } from '../sweep/sweep.worker';
import { dropOld } from './retentions.entity';

/** Throws away events that are listed no more. */
@Injectable()
export class EventsWorker extends Sweep {
  protected readonly everyMs = 60 * 60 * 1000;
  protected readonly failure = 'Old events were not thrown away';

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
