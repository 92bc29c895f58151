import { Bus, type Context } from '@carillon/bus';
import { Accounts, type Person } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

const outOfOrder = new Set(['account.not_found', 'account.suspended']);

/** Reads people from the accounts service. */
@Injectable()
export class People {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Undefined when the account is deleted or suspended. */
  async find(accountId: string, context: Context): Promise<Person | undefined> {
    try {
      return (await this.bus.ask(Accounts.person, { accountId }, context)).value;
    } catch (error) {
      if (error instanceof Refused && outOfOrder.has(error.reason)) return undefined;
      throw error;
    }
  }
}
