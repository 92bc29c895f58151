import { Log } from '@carillon/event-store';
import type { Decide, Decider, EventMetadata } from '@carillon/eventing';
import type { SessionUsed, TokenUsed } from '@carillon/contracts';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { isWorthNoting, type LastUse, sessionUse, tokenUse, useSession, useToken } from './use';

interface Used {
  readonly id: string;
  readonly accountId: string;
  /** From the rows, which may be behind the log. */
  readonly lastUsedAt: Date | null;
}

/** Records the last use of tokens and sessions, without delaying the requests that use them. */
@Injectable()
export class Uses implements OnModuleDestroy {
  private readonly noting = new Map<string, Promise<void>>();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.noting.values());
  }

  token(used: Used): void {
    const at = this.clock.now();
    this.note(tokenUse, used, at, useToken({ id: used.id, accountId: used.accountId, at }));
  }

  session(used: Used): void {
    const at = this.clock.now();
    this.note(sessionUse, used, at, useSession({ id: used.id, accountId: used.accountId, at }));
  }

  private note<Event extends TokenUsed | SessionUsed>(
    decider: Decider<LastUse, Event>,
    { id, accountId, lastUsedAt }: Used,
    at: string,
    decide: Decide<LastUse, Event>,
  ): void {
    if (this.noting.has(id) || !isWorthNoting(lastUsedAt?.toISOString() ?? null, at)) return;
    const commandId = randomUUID();
    const metadata = { commandId, correlationId: commandId, accountId, actor: { process: 'accounts.use' } };
    const noting = this.append(decider, id, decide, metadata)
      .catch((error: unknown) =>
        this.logger.warn(
          { err: error, id },
          'Failed to record the last use of a token or session: the next use records it',
        ),
      )
      .finally(() => this.noting.delete(id));
    this.noting.set(id, noting);
  }

  private async append<Event extends TokenUsed | SessionUsed>(
    decider: Decider<LastUse, Event>,
    id: string,
    decide: Decide<LastUse, Event>,
    metadata: EventMetadata,
  ): Promise<void> {
    const { revision } = await this.log.load(decider, id);
    // Before the first event, so that a crash in between leaves no stream without a maximum length.
    if (revision === undefined) await this.log.store.setMaxCount(`${decider.category}-${id}`, 1);
    await this.log.transact(decider, id, decide, metadata);
  }
}
