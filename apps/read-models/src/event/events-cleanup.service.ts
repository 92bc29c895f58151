import { type DeleteBatch, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { deleteForgotten } from './retentions.entity';

/** Deletes events that families no longer keep. */
@Injectable()
export class EventsCleanup extends PeriodicCleanup {
  protected readonly name = 'events';
  protected readonly everyMs = 60 * 60 * 1000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const now = this.clock.now();
    await untilNone((sql, limit) => deleteForgotten(sql, now, limit));
  }
}
