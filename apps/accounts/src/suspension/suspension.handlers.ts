import { answer, type Answer, Bus, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { AccountById, Accounts, accountSuspended, type Suspension } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Clock, metadataOf, recordOperation } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, suspend } from '../account/account';

/** Suspends accounts and resumes them, for the operator of the installation. */
@Controller()
export class SuspensionHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  @Handles(Accounts.suspend)
  async suspend({ accountId }: AccountById, context: Context): Promise<Answer<Suspension>> {
    const suspended = await this.decide(accountId, true, context);
    // The rows come first: gateways that hear the signal ask about the credentials again.
    this.bus.signal(accountSuspended, accountId);
    return suspended;
  }

  @Handles(Accounts.resume)
  async resume({ accountId }: AccountById, context: Context): Promise<Answer<Suspension>> {
    return this.decide(accountId, false, context);
  }

  private async decide(accountId: string, suspended: boolean, context: Context): Promise<Answer<Suspension>> {
    insistOnOperator(context);
    const action = suspended ? 'account.suspend' : 'account.resume';
    await recordOperation(this.log, this.clock, { action, service: 'accounts', target: accountId }, context);
    const { position } = await this.log.transact(
      account,
      streamTail(accountId),
      suspend({ suspended, at: this.clock.now() }),
      metadataOf(context, accountId),
    );
    await this.projections.caughtUp('accounts', position);
    return answer({ id: accountId, suspended }, position);
  }
}
