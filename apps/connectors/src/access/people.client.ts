import { Bus, type Context } from '@carillon/bus';
import { Accounts, type Person } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

const outOfOrder = new Set(['account.not_found', 'account.suspended']);

/** Who people are, as accounts knows it at this moment. */
@Injectable()
export class People {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Undefined when their account is gone or suspended. */
  async find(accountId: string, context: Context): Promise<Person | undefined> {
    try {
      return (await this.bus.ask(Accounts.person, { accountId }, context)).value;
    } catch (error) {
      if (error instanceof Refused && outOfOrder.has(error.reason)) return undefined;
      throw error;
    }
  }
}
