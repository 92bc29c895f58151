import { Bus } from '@carillon/bus';
import type { InteractionAsked, InteractionEndedSignal } from '@carillon/contracts';
import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import { Clock, LOGGER, type Logger } from '@carillon/service';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { expire, prompt } from '../prompt/prompt';

interface Command {
  readonly interactionId: string;
  readonly accountId: string;
}

/** Ends prompts whose time is over. A timer may come twice or late: the decision takes care of both. */
@Injectable()
export class Expiries implements OnModuleInit, OnModuleDestroy {
  private readonly timers: Timers;

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.timers = new Timers(database, clock, (timer) => this.expire(timer), logger);
  }

  onModuleInit(): void {
    this.timers.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.timers.stop();
  }

  schedule(sql: Sql, { interactionId, accountId, expiresAt }: InteractionAsked): Promise<void> {
    const command: Command = { interactionId, accountId };
    return this.timers.schedule(sql, interactionId, expiresAt, command);
  }

  cancel(sql: Sql, interactionId: string): Promise<void> {
    return this.timers.cancel(sql, interactionId);
  }

  private async expire({ command }: Timer): Promise<void> {
    const { interactionId, accountId } = command as Command;
    const { events, position } = await this.log.transact(
      prompt,
      streamTail(interactionId),
      expire({ at: this.clock.now() }),
      {
        commandId: uuidV5(interactionId, 'interactions.expire'),
        correlationId: interactionId,
        accountId,
        actor: { process: 'interactions.expiry' },
      },
    );
    if (events.length === 0) return;
    const signal: InteractionEndedSignal = { position: String(position) };
    this.bus.signal('interaction.ended', interactionId, signal);
  }
}
