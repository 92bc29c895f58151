import { Database, type Sql, type Timer } from '@carillon/event-store';
import { type Instant, millis } from '@carillon/eventing';
import { escalationLateSeconds } from '@carillon/metrics';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { Escalations } from './escalations.service';

interface Command {
  readonly what: 'escalate' | 'settle';
  readonly interactionId: string;
}

/** Executes the escalation commands: when a prompt's escalation is due, and when the prompt has ended. */
@Injectable()
export class EscalationCommands extends CommandQueue<Command> {
  readonly name = 'prompt_escalations';
  protected readonly process = 'interactions.escalations';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Escalations) private readonly escalations: Escalations,
  ) {
    super(database, clock);
  }

  async escalate(sql: Sql, interactionId: string, at: Instant, from: Cause): Promise<void> {
    await this.enqueue(sql, {
      key: `escalate ${interactionId}`,
      at,
      command: { what: 'escalate', interactionId },
      from,
    });
  }

  async settle(sql: Sql, interactionId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, {
      key: `settle ${interactionId}`,
      command: { what: 'settle', interactionId },
      from,
    });
  }

  protected override async issue(timer: Timer): Promise<Instant | void> {
    const again = await super.issue(timer);
    if ((timer.command as Command).what === 'escalate')
      escalationLateSeconds.observe({ of: 'prompt' }, (this.clock.ms() - millis(timer.dueAt)) / 1_000);
    return again;
  }

  protected async execute({ what, interactionId }: Command, as: CommandContext): Promise<void> {
    await this.escalations[what](interactionId, as);
  }
}
