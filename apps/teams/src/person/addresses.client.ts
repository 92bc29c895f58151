import { Bus, type Context } from '@carillon/bus';
import { Accounts } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** Asks accounts for the current verified addresses of people. */
@Injectable()
export class Addresses {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Null for an account without a verified address. */
  async verified(accountId: string, context: Context): Promise<string | null> {
    const { value } = await this.bus.ask(Accounts.verifiedAddress, { accountId }, context);
    return value.email;
  }
}
