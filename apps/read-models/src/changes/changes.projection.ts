import { Bus } from '@carillon/bus';
import type { AccountChangedSignal, Streams } from '@carillon/contracts';
import { columns, type Handled, ignore, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { changesOf, writtenForMs } from './changes';
import { dropTo } from './dropped.entity';

type Followed = Streams<
  'notification' | 'event' | 'delivery' | 'inbox' | 'device' | 'interaction' | 'activity' | 'lane' | 'page'
>;
const on = {
  notification: {
    NotificationSent: inBatch,
    NotificationWithdrawn: inBatch,
  },
  event: {
    EventReceived: inBatch,
  },
  delivery: {
    PushReported: inBatch,
    PushCleared: ignore,
  },
  inbox: {
    InboxItemRead: inBatch,
    InboxItemsRead: inBatch,
    InboxItemUnread: inBatch,
    InboxReadThrough: inBatch,
  },
  device: {
    DeviceRegistered: inBatch,
    DeviceTokensChanged: inBatch,
    DeviceDeactivated: inBatch,
  },
  interaction: {
    InteractionAsked: inBatch,
    InteractionAnswered: inBatch,
    InteractionCanceled: inBatch,
    InteractionExpired: inBatch,
  },
  activity: {
    ActivityStarted: inBatch,
    ActivityUpdated: inBatch,
    ActivityEnded: inBatch,
    ActivityExpired: inBatch,
    ActivityFailed: inBatch,
  },
  page: {
    PageTriggered: ignore,
    PageNotified: inBatch,
    PageRepeated: ignore,
    PageAcknowledged: inBatch,
    PageWithdrawn: inBatch,
    PageResolved: inBatch,
    PageForgotten: ignore,
  },
  lane: {
    ActivityTokenRegistered: ignore,
    ActivityPushed: inBatch,
  },
} satisfies On<Followed>;

/** Projects the recent changes of each account, so that streams can send them, also after an interruption. */
@Injectable()
export class ChangesProjection extends Projection<Followed, typeof on> {
  readonly name = 'changes';
  readonly tables = ['changes', 'changes_dropped'];
  readonly on = on;

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  override async apply(sql: Sql, events: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    const from = this.clock.ms() - writtenForMs;
    const all = events.flatMap(({ event, position }) =>
      changesOf(event).map((change) => ({ ...change, position: String(position) })),
    );
    const fresh = all.filter(({ at }) => millis(at) >= from);
    const old = all.filter(({ at }) => millis(at) < from).at(-1);
    if (old) await dropTo(sql, old.position);
    if (fresh.length === 0) return;
    const given = columns(
      {
        account_id: 'text',
        position: 'bigint',
        kind: 'text',
        subject_id: 'text',
        project_id: 'text',
        at: 'timestamptz',
      },
      fresh,
      ({ accountId, position, kind, subjectId, projectId, at }) => ({
        account_id: accountId,
        position,
        kind,
        subject_id: subjectId,
        project_id: projectId,
        at,
      }),
    );
    await sql.query(`INSERT INTO changes (${given.names}) SELECT * FROM ${given.rows}`, given.values);
  }

  override committed(events: readonly Recorded<Handled<Followed, typeof on>>[]): void {
    const newest = new Map(
      events.flatMap(({ event, position }) =>
        changesOf(event).map(({ accountId }) => [accountId, position] as const),
      ),
    );
    for (const [accountId, position] of newest) {
      const signal: AccountChangedSignal = { position: String(position) };
      this.bus.signal('account.changed', accountId, signal);
    }
  }
}
