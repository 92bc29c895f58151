import type { ActivityBoardEvent, ActivityEvent, InteractionEvent } from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { Orders } from './orders.worker';

type Followed = ActivityBoardEvent | ActivityEvent | InteractionEvent;

/** Orders what must follow: a beginning, a deadline, an end with the prompt, room for others. */
@Injectable()
export class OrdersProcess extends Projection {
  readonly name = 'orders';
  override readonly prompt = true;
  readonly tables = [];
  readonly categories = ['activity_board', 'activity', 'interaction'];
  readonly handles = [
    'ActivityAdmitted',
    'ActivityReleased',
    'ActivityStarted',
    'ActivityEnded',
    'ActivityExpired',
    'InteractionAsked',
    'InteractionAnswered',
    'InteractionCanceled',
    'InteractionExpired',
  ];
  readonly ignores = ['ActivityUpdated'];

  constructor(@Inject(Orders) private readonly orders: Orders) {
    super();
  }

  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    for (const { event } of events as readonly Recorded<Followed>[]) await this.follow(sql, event);
  }

  private async follow(sql: Sql, event: Followed): Promise<void> {
    switch (event.type) {
      case 'ActivityAdmitted':
        return this.orders.admitted(sql, event);
      case 'ActivityReleased':
        return this.orders.released(sql, event);
      case 'ActivityStarted':
        return this.orders.begun(sql, event, event.expiresAt);
      case 'ActivityUpdated':
        return;
      case 'ActivityEnded':
        return this.orders.over(sql, event, event.endedAt);
      case 'ActivityExpired':
        return this.orders.over(sql, event, event.expiredAt);
      case 'InteractionAsked':
        if (event.liveActivityId)
          await this.orders.asked(sql, shownBy(event, event.liveActivityId), event.askedAt);
        return;
      case 'InteractionAnswered':
        return this.close(sql, event, 'answered', event.answeredAt);
      case 'InteractionCanceled':
        return this.close(sql, event, 'canceled', event.canceledAt);
      case 'InteractionExpired':
        return this.close(sql, event, 'expired', event.expiredAt);
    }
  }

  private async close(
    sql: Sql,
    event: Extract<InteractionEvent, { liveActivityId: string | null }>,
    reason: 'answered' | 'canceled' | 'expired',
    at: string,
  ): Promise<void> {
    if (event.liveActivityId) await this.orders.close(sql, shownBy(event, event.liveActivityId), reason, at);
  }
}

const shownBy = ({ accountId }: { readonly accountId: string }, activityId: string) => ({
  activityId,
  accountId,
});
