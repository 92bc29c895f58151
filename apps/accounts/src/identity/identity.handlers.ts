import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { Identities, type LinkedIdentity, Nothing, ProviderById } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account } from '../account/account';
import { AccountOpening } from '../account/opening.service';
import { Sessions } from '../session/sessions.service';
import { identityView, unlinkIdentity } from './identity';

/** Lists and unlinks the identities of an account. */
@Controller()
export class IdentityHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @Handles(Identities.list)
  async list(_input: Nothing, { caller }: Context): Promise<Answer<{ identities: LinkedIdentity[] }>> {
    const opened = await this.opening.find(caller.accountId);
    if (!opened) throw new Refused('account.not_found');
    return answer({ identities: opened.identities.map(identityView) });
  }

  @Handles(Identities.unlink)
  async unlink({ provider }: ProviderById, context: Context): Promise<Answer<{ ok: true }>> {
    await this.sessions.insistOnRecent(context);
    const { position } = await this.log.transact(
      account,
      streamTail(context.caller.accountId),
      unlinkIdentity({ provider, at: this.clock.now() }),
      metadataOf(context),
    );
    return answer({ ok: true }, position);
  }
}
