import type { InteractionAsked, InteractionEnded, InteractionEvent } from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { Expiries } from './expiries.worker';

/** Sets a timer for each prompt, and takes it off when the prompt has ended before. */
@Injectable()
export class ExpiryProcess extends Projection {
  readonly name = 'expiry';
  readonly tables = [];
  readonly categories = ['interaction'];
  readonly handles = ['InteractionAsked', 'InteractionAnswered', 'InteractionCanceled', 'InteractionExpired'];
  readonly ignores = [];

  constructor(@Inject(Expiries) private readonly expiries: Expiries) {
    super();
  }

  /** What is asked and ended within one batch needs no timer. */
  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    const pending = new Map<string, InteractionAsked>();
    const ended: InteractionEnded[] = [];
    for (const { event } of events as readonly Recorded<InteractionEvent>[])
      if (event.type === 'InteractionAsked') pending.set(event.interactionId, event);
      else if (!pending.delete(event.interactionId)) ended.push(event);
    for (const asked of pending.values()) await this.expiries.schedule(sql, asked);
    for (const end of ended) await this.expiries.cancel(sql, end.interactionId);
  }
}
