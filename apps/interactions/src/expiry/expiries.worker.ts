import { Bus } from '@carillon/bus';
import type { InteractionAsked, InteractionEndedSignal } from '@carillon/contracts';
import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import { Clock } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { expire, prompt } from '../prompt/prompt';

interface Command {
  readonly interactionId: string;
  readonly accountId: string;
}

/** Ends prompts whose time is over. A timer may come twice or late: the decision takes care of both. */
@Injectable()
export class Expiries extends Timers {
  readonly name = 'expiry';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super(database, clock);
  }

  schedule(sql: Sql, { interactionId, accountId, expiresAt }: InteractionAsked): Promise<void> {
    const command: Command = { interactionId, accountId };
    return this.set(sql, interactionId, expiresAt, command);
  }

  cancel(sql: Sql, interactionId: string): Promise<void> {
    return this.clear(sql, interactionId);
  }

  protected async issue({ command }: Timer): Promise<void> {
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
