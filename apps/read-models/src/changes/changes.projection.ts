import { Bus } from '@carillon/bus';
import type { AccountChangedSignal, Streams } from '@carillon/contracts';
import { ignore, inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { changeOf, type ChangingEvent, keptForMs } from './changes';

type Followed = Streams<
  'notification' | 'event' | 'delivery' | 'inbox' | 'device' | 'interaction' | 'activity' | 'lane'
>;
type Ignored = 'PushCleared' | 'ActivityTokenRegistered';

/** What changed for each account lately, so that those who look on can be told, also after an interruption. */
@Injectable()
export class ChangesProjection extends Projection<Followed, Ignored> {
  readonly name = 'changes';
  readonly tables = ['changes', 'changes_dropped'];
  readonly on: On<Followed, Ignored> = {
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
    },
    lane: {
      ActivityTokenRegistered: ignore,
      ActivityPushed: inBatch,
    },
  };

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  override async apply(sql: Sql, events: readonly Recorded<ChangingEvent>[]): Promise<void> {
    const from = this.clock.ms() - keptForMs;
    const all = events.flatMap(({ event, position }) => {
      const change = changeOf(event);
      return change ? [{ ...change, position: String(position) }] : [];
    });
    const fresh = all.filter(({ at }) => millis(at) >= from);
    const old = all.filter(({ at }) => millis(at) < from).at(-1);
    if (old) await drop(sql, old.position);
    if (fresh.length === 0) return;
    await sql.query(
      `INSERT INTO changes (account_id, position, kind, subject_id, project_id, at)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])`,
      [
        fresh.map((change) => change.accountId),
        fresh.map((change) => change.position),
        fresh.map((change) => change.kind),
        fresh.map((change) => change.subjectId),
        fresh.map((change) => change.projectId),
        fresh.map((change) => change.at),
      ],
    );
  }

  override committed(events: readonly Recorded<ChangingEvent>[]): void {
    const newest = new Map(
      events.flatMap(({ event, position }) =>
        changeOf(event) ? [[event.accountId, position] as const] : [],
      ),
    );
    for (const [accountId, position] of newest) {
      const signal: AccountChangedSignal = { position: String(position) };
      this.bus.signal('account.changed', accountId, signal);
    }
  }
}

/** Notes that changes up to a position are not kept. */
const drop = (sql: Sql, position: string): Promise<unknown> =>
  sql.query(
    `INSERT INTO changes_dropped AS d (one, position) VALUES (true, $1)
     ON CONFLICT (one) DO UPDATE SET position = greatest(d.position, excluded.position)`,
    [position],
  );
