import type { InteractionEvent, Streams } from '@carillon/contracts';
import { type EventsOf, ignore, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { AdmissionCommands } from './admission.worker';

type Followed = Streams<'activity_board' | 'activity' | 'interaction'>;

/** Issues the commands that follow an event: a start, an expiry, an end with the prompt, a release of capacity. */
@Injectable()
export class AdmissionProcess extends Projection<Followed> {
  readonly name = 'commands';
  override readonly immediate = true;
  readonly tables = [];
  readonly on: On<Followed> = {
    activity_board: {
      ActivityAdmitted: (sql, { event }) => this.commands.admitted(sql, event),
      ActivityReleased: (sql, { event }) => this.commands.released(sql, event),
      ActivityCapacityLent: (sql, { event }) => this.commands.lent(sql, event),
      ActivityCapacityReturned: (sql, { event }) => this.commands.returned(sql, event),
    },
    activity: {
      ActivityStarted: (sql, { event }) => this.commands.begun(sql, event, event.expiresAt),
      ActivityUpdated: ignore,
      ActivityEnded: (sql, { event }) => this.commands.over(sql, event, event.endedAt),
      ActivityExpired: (sql, { event }) => this.commands.over(sql, event, event.expiredAt),
      ActivityFailed: (sql, { event }) => this.commands.over(sql, event, event.failedAt),
    },
    interaction: {
      InteractionAsked: async (sql, { event }) => {
        if (event.liveActivityId)
          await this.commands.asked(sql, activityRef(event, event.liveActivityId), event.askedAt);
      },
      InteractionAnswered: (sql, { event }) => this.close(sql, event, 'answered', event.answeredAt),
      InteractionCanceled: (sql, { event }) => this.close(sql, event, 'canceled', event.canceledAt),
      InteractionExpired: (sql, { event }) => this.close(sql, event, 'expired', event.expiredAt),
    },
  };

  constructor(@Inject(AdmissionCommands) private readonly commands: AdmissionCommands) {
    super();
  }

  /** Steps may be late and repeated: what each does is decided by the log. */
  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  private async close(
    sql: Sql,
    event: Extract<InteractionEvent, { liveActivityId: string | null }>,
    reason: 'answered' | 'canceled' | 'expired',
    at: string,
  ): Promise<void> {
    if (event.liveActivityId)
      await this.commands.close(sql, activityRef(event, event.liveActivityId), reason, at);
  }
}

const activityRef = ({ accountId }: { readonly accountId: string }, activityId: string) => ({
  activityId,
  accountId,
});
