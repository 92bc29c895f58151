import { plus } from '@carillon/eventing';
import { type DeleteBatch, PeriodicCleanup } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { forgetArtifacts } from './artifacts.entity';

/** For a while the holder of an expired token is told so, and not that it is unknown. */
const keptMs = 24 * 60 * 60_000;

/** Deletes codes, tokens and consents that have expired, and registered clients that nobody has used for 30 days. */
@Injectable()
export class ArtifactsCleanup extends PeriodicCleanup {
  protected readonly name = 'oauth artifacts';
  protected readonly everyMs = 10 * 60_000;

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    const before = plus(this.clock.now(), -keptMs);
    await untilNone((sql, limit) => forgetArtifacts(sql, before, limit));
  }
}
