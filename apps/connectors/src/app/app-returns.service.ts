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

/** Returns apps to the account that added them, once that account has left their team. */
@Injectable()
export class AppReturns {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AppUrlClaims) private readonly claims: AppUrlClaims,
  ) {}

  /**
   * Undoes this very move. If the account has another app with that URL, it then has both: neither app is lost, and the
   * other one keeps the urlKey.
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
