import type { InteractionAsked, InteractionEnded, Streams } from '@carillon/contracts';
import { inBatch, type On, Projection, type Sql } from '@carillon/event-store';
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
      InteractionAsked: inBatch,
      InteractionAnswered: inBatch,
      InteractionCanceled: inBatch,
      InteractionExpired: inBatch,
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

  /** Those asked first, since no prompt ends before it is asked. */
  override async apply(
    sql: Sql,
    events: readonly Recorded<InteractionAsked | InteractionEnded>[],
  ): Promise<void> {
    const ended = new Map<string, Recorded<InteractionEnded>>();
    for (const recorded of events) {
      const { event } = recorded;
      if (event.type === 'InteractionAsked') await this.asked(sql, { ...recorded, event });
      else ended.set(event.interactionId, { ...recorded, event });
    }
    if (ended.size === 0) return;
    const gone = await sql.query<{ interaction_id: string }>(
      `DELETE FROM escalating_prompts WHERE interaction_id = ANY($1) RETURNING interaction_id`,
      [[...ended.keys()]],
    );
    for (const { interaction_id: id } of gone) {
      const end = ended.get(id);
      if (end) await this.commands.settle(sql, id, end);
    }
  }

  private async asked(sql: Sql, recorded: Recorded<InteractionAsked>): Promise<void> {
    const { interactionId, escalatesTo } = recorded.event;
    if (!escalatesTo) return;
    await sql.query(`INSERT INTO escalating_prompts (interaction_id) VALUES ($1)`, [interactionId]);
    await this.commands.escalate(sql, interactionId, escalatesTo.at, recorded);
  }
}
