import type { Context } from '@carillon/bus';
import { Log } from '@carillon/event-store';
import type { EventMetadata } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { app, there } from './app';
import { AppUrlClaims } from './app-url-claims.service';
import { comeBack } from './move-app';
import { urlKeyOf } from './url';

/** How apps come back to who added them, when that is not in their team any more. */
@Injectable()
export class AppReturns {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AppUrlClaims) private readonly claims: AppUrlClaims,
  ) {}

  /**
   * Takes it back from this very move. Who has another app with that URL has both from then on: nothing that they had
   * is lost, and the urlKey stays with the other.
   */
  async bringBack(id: string, moves: number, context: Context, metadata: EventMetadata): Promise<void> {
    const { state } = await this.log.load(app, streamTail(id));
    const found = there(state);
    if (found?.moves !== moves || found.teamId === null) return;
    const { addedBy: accountId, url } = found;
    await this.claims.claim({ urlKey: urlKeyOf(accountId, url), appId: id, accountId }, context, metadata);
    await this.log.transact(app, streamTail(id), comeBack({ id, moves, at: this.clock.now() }), metadata);
  }
}
