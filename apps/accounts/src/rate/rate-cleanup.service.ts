import { type DeleteBatch, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { forgetWrites } from './gateway-writes.entity';
import { forgetPermits } from './wait-permits.entity';
import { forgetWindows } from './windows.entity';

/** Deletes rate windows that count no more, tokens without a permit for waits, and expired writes of gateways. */
@Injectable()
export class RateCleanup extends PeriodicCleanup {
  protected readonly name = 'rates';
  protected readonly everyMs = 5 * 60_000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const atMs = this.clock.ms();
    await untilNone((sql, limit) => forgetWindows(sql, atMs, limit));
    await untilNone(forgetPermits);
    await untilNone(forgetWrites);
  }
}
