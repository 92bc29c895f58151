import type { InteractionAsked, InteractionEnded, Streams } from '@carillon/contracts';
import { type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { EscalationCommands } from './escalations.worker';

type Followed = Streams<'interaction'>;

/** Enqueues the commands that escalate a prompt to a page when due, and settle that page when the prompt has ended. */
@Injectable()
export class EscalationProcess extends Projection<Followed> {
  readonly name = 'prompt_escalations';
  override readonly partitioned = 'subjects';
  readonly tables = ['escalating_prompts'];
  readonly on: On<Followed> = {
    interaction: {
      InteractionAsked: (sql, recorded) => this.asked(sql, recorded),
      InteractionAnswered: (sql, recorded) => this.ended(sql, recorded),
      InteractionCanceled: (sql, recorded) => this.ended(sql, recorded),
      InteractionExpired: (sql, recorded) => this.ended(sql, recorded),
    },
  };

  constructor(@Inject(EscalationCommands) private readonly commands: EscalationCommands) {
    super();
  }

  override accountOf({ event }: Recorded<InteractionAsked | InteractionEnded>): string {
    return event.accountId;
  }

  /** Ignores prompts that do not escalate, which are most. */
  override concerns({ event }: Recorded<InteractionAsked | InteractionEnded>): boolean {
    return event.type !== 'InteractionAsked' || Boolean(event.escalatesTo);
  }

  private async asked(sql: Sql, recorded: Recorded<InteractionAsked>): Promise<void> {
    const { interactionId, escalatesTo } = recorded.event;
    if (!escalatesTo) return;
    await sql.query(`INSERT INTO escalating_prompts (interaction_id) VALUES ($1)`, [interactionId]);
    await this.commands.escalate(sql, interactionId, escalatesTo.at, recorded);
  }

  private async ended(sql: Sql, recorded: Recorded<InteractionEnded>): Promise<void> {
    const { interactionId } = recorded.event;
    const gone = await sql.query(
      `DELETE FROM escalating_prompts WHERE interaction_id = $1 RETURNING interaction_id`,
      [interactionId],
    );
    if (gone.length > 0) await this.commands.settle(sql, interactionId, recorded);
  }
}
