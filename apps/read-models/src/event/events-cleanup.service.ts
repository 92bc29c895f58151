import { type DeleteBatch, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { deleteForgotten, deleteUnlisted } from './retentions.entity';

/** Deletes events that are no longer listed. */
@Injectable()
export class EventsCleanup extends PeriodicCleanup {
  protected readonly name = 'events';
  protected readonly everyMs = 60 * 60 * 1000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const now = this.clock.now();
    await untilNone((sql, limit) => deleteUnlisted(sql, now, limit));
    await untilNone((sql, limit) => deleteForgotten(sql, now, limit));
  }
}
