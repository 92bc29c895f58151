import { Bus, type Context } from '@carillon/bus';
import { Callbacks } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** Asks the connectors service about an address. */
@Injectable()
export class Connectors {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /**
   * Refused `destination.not_allowed` where the host is a connector's that the caller has to do with, and no delivery
   * of theirs could go through it.
   */
  async check(url: string, context: Context): Promise<void> {
    await this.bus.ask(Callbacks.check, { url }, context);
  }
}
