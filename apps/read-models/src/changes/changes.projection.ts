import { Bus } from '@carillon/bus';
import type { AccountChangedSignal } from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/service';
import { Inject, Injectable } from '@nestjs/common';
import { changeOf, type ChangingEvent, keptForMs } from './changes';

/** What changed for each account lately, so that those who look on can be told, also after an interruption. */
@Injectable()
export class ChangesProjection extends Projection {
  readonly name = 'changes';
  readonly tables = ['changes', 'changes_dropped'];
  readonly categories = [
    'notification',
    'event',
    'delivery',
    'inbox',
    'device',
    'interaction',
    'activity',
    'lane',
  ];
  readonly handles = [
    'NotificationSent',
    'NotificationWithdrawn',
    'EventReceived',
    'PushReported',
    'InboxItemRead',
    'InboxItemUnread',
    'InboxReadThrough',
    'DeviceRegistered',
    'DeviceTokensChanged',
    'DeviceDeactivated',
    'InteractionAsked',
    'InteractionAnswered',
    'InteractionCanceled',
    'InteractionExpired',
    'ActivityStarted',
    'ActivityUpdated',
    'ActivityEnded',
    'ActivityExpired',
    'ActivityPushed',
  ];
  readonly ignores = ['PushCleared', 'ActivityTokenRegistered'];

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    const from = this.clock.ms() - keptForMs;
    const all = (events as readonly Recorded<ChangingEvent>[]).flatMap(({ event, position }) => {
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

  override committed(events: readonly Recorded[]): void {
    const newest = new Map(
      (events as readonly Recorded<ChangingEvent>[]).flatMap(({ event, position }) =>
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
