import type { InteractionAsked, InteractionEvent, Streams } from '@carillon/contracts';
import { inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { Expiries } from './expiries.worker';

type Followed = Streams<'interaction'>;

/** Sets a timer for each prompt, and clears it when the prompt ends earlier. */
@Injectable()
export class ExpiryProcess extends Projection<Followed> {
  readonly name = 'expiry';
  override readonly partitioned = 'subjects';
  readonly tables = [];
  readonly on: On<Followed> = {
    interaction: {
      InteractionAsked: inBatch,
      InteractionAnswered: inBatch,
      InteractionCanceled: inBatch,
      InteractionExpired: inBatch,
    },
  };

  constructor(@Inject(Expiries) private readonly expiries: Expiries) {
    super();
  }

  override accountOf({ event }: Recorded<InteractionEvent>): string {
    return event.accountId;
  }

  /** A prompt that is asked and ended within one batch needs no timer. */
  override async apply(sql: Sql, events: readonly Recorded<InteractionEvent>[]): Promise<void> {
    const pending = new Map<string, Recorded<InteractionAsked>>();
    const ended: string[] = [];
    for (const recorded of events) {
      const { event } = recorded;
      if (event.type === 'InteractionAsked') pending.set(event.interactionId, { ...recorded, event });
      else if (!pending.delete(event.interactionId)) ended.push(event.interactionId);
    }
    for (const asked of pending.values()) await this.expiries.schedule(sql, asked);
    await this.expiries.cancelAll(sql, ended);
  }
}
