import { Bus } from '@carillon/bus';
import type { InteractionAsked, InteractionEndedSignal } from '@carillon/contracts';
import { Database, Log, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { expire, prompt } from '../prompt/prompt';

interface Command {
  readonly interactionId: string;
  readonly accountId: string;
}

/** Expires prompts that are due. A timer may fire twice or late: the decision handles both. */
@Injectable()
export class Expiries extends CommandQueue<Command> {
  readonly name = 'expiry';
  protected readonly process = 'interactions.expiry';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super(database, clock);
  }

  async schedule(sql: Sql, asked: Recorded<InteractionAsked>): Promise<void> {
    const { interactionId, accountId, expiresAt: at } = asked.event;
    await this.enqueue(sql, { key: interactionId, at, command: { interactionId, accountId }, from: asked });
  }

  cancelAll(sql: Sql, interactionIds: readonly string[]): Promise<void> {
    return this.clearAll(sql, interactionIds);
  }

  protected async execute({ interactionId, accountId }: Command, as: CommandContext): Promise<void> {
    const { events, position } = await this.log.transact(
      prompt,
      streamTail(interactionId),
      expire({ at: this.clock.now() }),
      as.metadata(accountId),
    );
    if (events.length === 0) return;
    const signal: InteractionEndedSignal = { position: String(position) };
    this.bus.signal('interaction.ended', interactionId, signal);
  }
}
