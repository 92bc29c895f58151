import type { PushCleared, PushReported } from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import { type DomainEvent, millis, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/service';
import { deriveId } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { notificationExpiry } from '../payload/payload';
import { type Pushed, pushedTypes, subjectOf } from '../payload/pushed';
import { DeliveryWorker, type WorkRow, workColumns, workOf } from './delivery.worker';

/** What is older when it is met may have been pushed before these rows were lost. */
const doubtfulMs = 30_000;

/**
 * Writes down the work that notifications and events make, a row for each device, and takes it away when it is reported. The rows
 * are what is under way and nothing else: what became of a push is in the log.
 */
@Injectable()
export class DeliveriesProcess extends Projection {
  readonly name = 'deliveries';
  override readonly prompt = true;
  readonly tables = [];
  readonly categories = ['notification', 'event', 'delivery'];
  readonly handles = [...pushedTypes, 'PushReported', 'PushCleared'];
  readonly ignores = ['NotificationWithdrawn'];

  constructor(
    @Inject(DeliveryWorker) private readonly worker: DeliveryWorker,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    if (sql.rebuilding) throw new Error('Deliveries are work under way: they cannot be made anew');
    const final = idsOf(events.filter(isReported).filter(({ event }) => event.final));
    const cleared = idsOf(events.filter(isCleared));
    const sent = events
      .filter(isPushed)
      .filter(({ event }) => event.deviceIds.length > 0 && !final.has(subjectOf(event).id));
    if (sent.length > 0) await this.writeDown(sql, sent);
    if (cleared.size > 0) await this.supersede(sql, [...cleared]);
    if (final.size > 0) await sql.query(`DELETE FROM deliveries WHERE subject_id = ANY($1)`, [[...final]]);
  }

  /** As much as the worker has room for is its own from the start, so that no row is written twice to be taken. */
  private async writeDown(sql: Sql, sent: readonly Recorded<Pushed>[]): Promise<void> {
    const may = this.worker.ownership();
    let room = may?.room ?? 0;
    const now = this.clock.now();
    const rows = sent.flatMap((recorded) => {
      const { event } = recorded;
      const subject = subjectOf(event);
      const doubtful = Date.now() - millis(recorded.at) > doubtfulMs;
      const isOwned = !doubtful && event.deviceIds.length <= room;
      if (isOwned) room -= event.deviceIds.length;
      return event.deviceIds.map((deviceId) => ({ recorded, subject, deviceId, doubtful, isOwned }));
    });
    const owned = await sql.query<WorkRow & { owner: number | null }>(
      `WITH w AS (
         INSERT INTO deliveries (subject_id, device_id, delivery_id, account_id, source, position, targets, expires_at,
           due_at, doubtful, owner, owned_until)
         SELECT n.*, CASE WHEN n.owner IS NOT NULL THEN now() + make_interval(secs => $12) END
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::smallint[],
           $8::timestamptz[], $9::timestamptz[], $10::boolean[], $11::integer[])
           AS n (subject_id, device_id, delivery_id, account_id, source, position, targets, expires_at, due_at, doubtful,
             owner)
         ON CONFLICT DO NOTHING RETURNING *)
       SELECT w.owner, ${workColumns} FROM w LEFT JOIN devices d ON d.device_id = w.device_id`,
      [
        rows.map(({ subject }) => subject.id),
        rows.map(({ deviceId }) => deviceId),
        rows.map(({ subject, deviceId }) => deriveId('rcp', millis(subject.sentAt), subject.id, deviceId)),
        rows.map(({ recorded }) => recorded.event.accountId),
        rows.map(({ recorded }) => recorded.stream),
        rows.map(({ recorded }) => String(recorded.position)),
        rows.map(({ recorded }) => recorded.event.deviceIds.length),
        rows.map(({ subject }) => notificationExpiry(subject.sentAt)),
        rows.map(() => now),
        rows.map(({ doubtful }) => doubtful),
        rows.map(({ isOwned }) => (isOwned ? may!.owner : null)),
        may?.seconds ?? 0,
      ],
    );
    const sources = new Map(sent.map((recorded) => [subjectOf(recorded.event).id, recorded]));
    const works = owned.flatMap((row) => (row.owner === null ? [] : [workOf(row, row.owner)]));
    sql.afterCommit?.(() => {
      this.worker.begin(works, sources);
      if (works.length < owned.length) this.worker.kick();
    });
  }

  /** A phone that still waits for its push must not ring after it was taken off the others. */
  private async supersede(sql: Sql, subjectIds: readonly string[]): Promise<void> {
    await sql.query(
      `UPDATE deliveries SET state = 'error', error_code = 'superseded', checked_at = $2, owner = NULL,
         owned_until = NULL
       WHERE subject_id = ANY($1) AND state = 'waiting'`,
      [subjectIds, this.clock.now()],
    );
    sql.afterCommit?.(() => this.worker.supersede(subjectIds));
  }
}

const is =
  <Event extends DomainEvent>(type: Event['type']) =>
  (recorded: Recorded): recorded is Recorded<Event> =>
    recorded.type === type;
const isPushed = (recorded: Recorded): recorded is Recorded<Pushed> =>
  (pushedTypes as readonly string[]).includes(recorded.type);
const isReported = is<PushReported>('PushReported');
const isCleared = is<PushCleared>('PushCleared');

const idsOf = (events: readonly Recorded<PushReported | PushCleared>[]): ReadonlySet<string> =>
  new Set(events.map(({ event }) => event.subjectId));
