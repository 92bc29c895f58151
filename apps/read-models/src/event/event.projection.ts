import {
  deviceGroupEventTypes,
  domainEventTypes,
  type EventReceived,
  inviteEventTypes,
  oncallGroupEventTypes,
  profileEventTypes,
  type PushReported,
  type Streams,
} from '@carillon/contracts';
import {
  type Handled,
  ignore,
  ignoring,
  inBatch,
  type On,
  Projection,
  type Sql,
} from '@carillon/event-store';
import { isBefore, type Recorded } from '@carillon/eventing';
import { Clock, keepDays, keptSince } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { addEvents, reportEvents } from './events.entity';
import { ForgottenEvents } from './forgotten-events.worker';
import { deleteForgotten, setRetention } from './retentions.entity';

type Followed = Streams<'event' | 'delivery' | 'team' | 'account'>;
const on = {
  event: {
    EventReceived: inBatch,
  },
  delivery: {
    PushReported: inBatch,
    PushCleared: ignore,
  },
  team: {
    ...ignoring(
      'TeamCreated',
      'MemberJoined',
      'MemberLeft',
      'MemberRemoved',
      'MemberRoleChanged',
      'OwnershipTransferred',
      ...inviteEventTypes,
      ...deviceGroupEventTypes,
      ...oncallGroupEventTypes,
      ...domainEventTypes,
    ),
    TeamChanged: inBatch,
    TeamDeleted: inBatch,
  },
  account: {
    ...ignoring(...profileEventTypes),
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;
type FiledEvent = Handled<Followed, typeof on>;

/** The maximum of old events that one transaction deletes. `EventsCleanup` deletes the rest, which nobody reads. */
const atOnce = 5_000;

/** Projects the events received through services' URLs, their pushes, and how long families keep them. */
@Injectable()
export class EventProjection extends Projection<Followed, typeof on> {
  readonly name = 'events';
  override readonly partitioned = 'subjects';
  readonly tables = ['events', 'event_retentions'];
  readonly on = on;
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(ForgottenEvents) private readonly forgotten: ForgottenEvents,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<FiledEvent>): string {
    return 'teamId' in event ? event.teamId : event.accountId;
  }

  /** Most pushes are of no event, and most changes of a team leave alone how long it keeps them. */
  override concerns({ event }: Recorded<FiledEvent>): boolean {
    if (event.type === 'PushReported') return event.subjectId.startsWith('evt_');
    return event.type !== 'TeamChanged' || event.retentionDays !== undefined;
  }

  /** An event comes before its reports, and of these the last one counts. What is past its time gets no row. */
  override async apply(sql: Sql, events: readonly Recorded<FiledEvent>[]): Promise<void> {
    const received: EventReceived[] = [];
    const reported = new Map<string, PushReported>();
    const forgotten: Recorded<FiledEvent>[] = [];
    let retained = false;
    const now = this.clock.now();
    const oldest = keptSince(now, this.keptDays);
    for (const recorded of events) {
      const { event } = recorded;
      switch (event.type) {
        case 'EventReceived':
          if (!isBefore(event.receivedAt, oldest)) received.push(event);
          break;
        case 'PushReported':
          reported.set(event.subjectId, event);
          break;
        case 'TeamChanged':
          if (event.retentionDays === undefined) break;
          await setRetention(sql, event.teamId, event.retentionDays);
          retained = true;
          break;
        case 'TeamDeleted':
          await setRetention(sql, event.teamId, null);
          break;
        case 'AccountForgotten':
          forgotten.push(recorded);
          break;
        default:
          event satisfies never;
      }
    }
    if (received.length > 0) await addEvents(sql, received);
    if (reported.size > 0) await reportEvents(sql, [...reported.values()]);
    if (retained || received.some(({ familyId }) => familyId !== undefined))
      await deleteForgotten(sql, now, atOnce);
    for (const cause of forgotten)
      if (cause.event.type === 'AccountForgotten')
        await this.forgotten.forget(sql, cause.event.accountId, cause);
  }
}
