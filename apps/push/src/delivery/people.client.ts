import { Bus } from '@carillon/bus';
import { Accounts, type AnyEvent } from '@carillon/contracts';
import type { Recorded } from '@carillon/eventing';
import { LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';

/** A replaced notification says less rather than late. */
const askedWithinMs = 2_000;

/** Looks up the names of people for what browsers show. */
@Injectable()
export class People {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The name of the person who answered a prompt; undefined when there is none, or it cannot be read in time. */
  async whoAnswered(cause: Recorded<AnyEvent> | undefined): Promise<string | undefined> {
    if (cause?.event.type !== 'InteractionAnswered') return undefined;
    const { respondingUserId: accountId } = cause.event;
    try {
      const { value } = await this.bus.ask(
        Accounts.person,
        { accountId },
        {
          commandId: cause.id,
          correlationId: cause.metadata.correlationId,
          caller: { accountId, process: 'push.delivery' },
          deadline: Date.now() + askedWithinMs,
        },
      );
      return value.name;
    } catch (error) {
      this.logger.warn(
        { err: error },
        'Failed to read the name of who answered a prompt: browsers are not told',
      );
      return undefined;
    }
  }
}
