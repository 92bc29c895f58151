import { Bus, type Context } from '@carillon/bus';
import { Accounts } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** The addresses that people have proved to be theirs, as accounts knows them at this moment. */
@Injectable()
export class Addresses {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Null for an account without one. */
  async verified(accountId: string, context: Context): Promise<string | null> {
    const { value } = await this.bus.ask(Accounts.verifiedAddress, { accountId }, context);
    return value.email;
  }
}
