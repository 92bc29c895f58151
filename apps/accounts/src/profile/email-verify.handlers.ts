import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { type Account, AccountById, Accounts, AddressOf, type Person } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, type Opened, accountView, insistOnActive, verifyEmail } from '../account/account';
import { AccountOpening } from '../account/opening.service';

/** Finds the account of an address, verifies addresses, and describes accounts. */
@Controller()
export class AccountEmailHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
  ) {}

  @Handles(Accounts.verifiedAddress)
  async verified({ accountId }: AccountById): Promise<Answer<{ email: string | null }>> {
    const found = await this.opening.find(accountId);
    return answer({ email: found?.emailVerified ? found.email : null });
  }

  @Handles(Accounts.person)
  async person({ accountId }: AccountById): Promise<Answer<Person>> {
    const found = await this.opening.find(accountId);
    // The text may be cached in this process, but must not be used once the key is deleted.
    if (!found || (await this.log.keys.toOpen(accountId)) === 'gone') throw new Refused('account.not_found');
    insistOnActive(found);
    const { name, email, emailVerified } = found;
    return answer({ id: accountId, name, email, emailVerified });
  }

  @Handles(Accounts.byEmail)
  async byEmail({ email }: AddressOf, context: Context): Promise<Answer<{ accountId: string }>> {
    insistOnOperator(context);
    const { accountId } = await this.existing(email);
    return answer({ accountId });
  }

  @Handles(Accounts.verifyEmail)
  async verify({ email }: AddressOf, context: Context): Promise<Answer<{ account: Account }>> {
    insistOnOperator(context);
    const found = await this.existing(email);
    const { state, position } = await this.log.transact(
      account,
      streamTail(found.accountId),
      verifyEmail({ email: found.email, at: this.clock.now() }),
      metadataOf(context, found.accountId),
    );
    if (!state) throw new Error('An address was verified without a trace');
    return answer({ account: accountView(state) }, position);
  }

  private async existing(email: string): Promise<Opened> {
    const found = await this.opening.byAddress(email);
    if (!found) throw new Refused('account.not_found');
    return found;
  }
}
