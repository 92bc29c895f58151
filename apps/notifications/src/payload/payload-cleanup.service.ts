import { type DeleteBatch, keptSince, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { keptPayloadDays } from './payloads.service';

/** Deletes the payloads of services that are past their time. */
@Injectable()
export class PayloadCleanup extends PeriodicCleanup {
  protected readonly name = 'payloads';
  protected readonly everyMs = 60 * 60 * 1000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const before = keptSince(this.clock.now(), keptPayloadDays);
    await untilNone(async (sql, limit) => {
      const deleted = await sql.query(
        `DELETE FROM service_payloads WHERE seq = ANY(ARRAY(
           SELECT seq FROM service_payloads WHERE received_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1`,
        [before, limit],
      );
      return deleted.length;
    });
  }
}
