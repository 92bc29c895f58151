import { plus } from '@carillon/eventing';
import { type DeleteBatch, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { keptMs } from './refreshes.entity';
import { forgetLastUses } from '../use/last-uses.entity';

/** Deletes the last uses of sessions whose rows are no longer kept. Tokens keep theirs. */
@Injectable()
export class LastUsesCleanup extends PeriodicCleanup {
  protected readonly name = 'last uses';
  protected readonly everyMs = 6 * 60 * 60_000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const before = plus(this.clock.now(), -keptMs);
    await untilNone((sql, limit) => forgetLastUses(sql, before, limit));
  }
}
