import type { InteractionEvent, Streams } from '@carillon/contracts';
import { ignore, type On, Projection, type Sql } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { Orders } from './orders.worker';

type Followed = Streams<'activity_board' | 'activity' | 'interaction'>;

/** Orders what must follow: a beginning, a deadline, an end with the prompt, room for others. */
@Injectable()
export class OrdersProcess extends Projection<Followed, 'ActivityUpdated'> {
  readonly name = 'orders';
  override readonly immediate = true;
  readonly tables = [];
  readonly on: On<Followed, 'ActivityUpdated'> = {
    activity_board: {
      ActivityAdmitted: (sql, { event }) => this.orders.admitted(sql, event),
      ActivityReleased: (sql, { event }) => this.orders.released(sql, event),
      ActivityRoomLent: (sql, { event }) => this.orders.lent(sql, event),
      ActivityRoomReturned: (sql, { event }) => this.orders.returned(sql, event),
    },
    activity: {
      ActivityStarted: (sql, { event }) => this.orders.begun(sql, event, event.expiresAt),
      ActivityUpdated: ignore,
      ActivityEnded: (sql, { event }) => this.orders.over(sql, event, event.endedAt),
      ActivityExpired: (sql, { event }) => this.orders.over(sql, event, event.expiredAt),
      ActivityFailed: (sql, { event }) => this.orders.over(sql, event, event.failedAt),
    },
    interaction: {
      InteractionAsked: async (sql, { event }) => {
        if (event.liveActivityId)
          await this.orders.asked(sql, shownBy(event, event.liveActivityId), event.askedAt);
      },
      InteractionAnswered: (sql, { event }) => this.close(sql, event, 'answered', event.answeredAt),
      InteractionCanceled: (sql, { event }) => this.close(sql, event, 'canceled', event.canceledAt),
      InteractionExpired: (sql, { event }) => this.close(sql, event, 'expired', event.expiredAt),
    },
  };

  constructor(@Inject(Orders) private readonly orders: Orders) {
    super();
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
