import {
  type AnyEvent,
  endOf,
  type InteractionEnded,
  type PushCleared,
  type PushReported,
  recipientsOf,
  type Streams,
} from '@carillon/contracts';
import { columns, type Handled, ignore, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import { type Instant, millis, ofType, plus, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { deriveId } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { isPushed, subjectsOf } from '../payload/pushed';
import { clearingLifetimeMs, clearingOf, isEnded } from './clearing';
import { followPages, isPageEvent } from './paged.entity';
import { linkTo } from './delivery-task';
import { DeliveryWorker } from './delivery.worker';
import { settleReported } from './results.entity';
import { taskColumns, taskOf, type TaskRow } from './task-row';

/** An event older than this when it is processed may have been pushed before its rows were lost. */
const doubtfulMs = 30_000;

/** The delivery to some devices that an event requires. */
interface Order {
  /** The id of the push, or of its clearing. */
  readonly id: string;
  readonly deviceIds: readonly string[];
  readonly recorded: Recorded<AnyEvent>;
  readonly accountId: string;
  /** The recipients of the push besides the account. */
  readonly recipients?: readonly string[];
  readonly since: Instant;
  readonly expiresAt: Instant;
  /** The pushed subject has already ended: its rows only record that. */
  readonly isOver: boolean;
}

type Followed = Streams<'notification' | 'event' | 'interaction' | 'page' | 'delivery'>;
const on = {
  notification: {
    NotificationSent: inBatch,
    NotificationWithdrawn: ignore,
  },
  event: {
    EventReceived: inBatch,
  },
  interaction: {
    InteractionAsked: inBatch,
    InteractionAnswered: inBatch,
    InteractionCanceled: inBatch,
    InteractionExpired: inBatch,
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
  delivery: {
    PushReported: inBatch,
    PushCleared: inBatch,
  },
} satisfies On<Followed>;
type PushingEvent = Handled<Followed, typeof on>;

/**
 * Inserts a row for each device that a notification, event, prompt or page is pushed to, and deletes the rows once the
 * push is reported. The end of a prompt or a page, and the withdrawal of an unfinished push, insert rows for the
 * clearing. Only unfinished deliveries have rows: the result of a push is in the log (ADR 12).
 */
@Injectable()
export class DeliveriesProcess extends Projection<Followed, typeof on> {
  readonly name = 'deliveries';
  override readonly partitioned = 'subjects';
  override readonly immediate = true;
  readonly tables = [];
  readonly on = on;

  constructor(
    @Inject(DeliveryWorker) private readonly worker: DeliveryWorker,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  /** The account that sends, or the team that pages. */
  override accountOf(recorded: Recorded<PushingEvent>): string {
    const { event, metadata } = recorded;
    return isPageEvent(recorded) || !('accountId' in event) ? metadata.accountId : event.accountId;
  }

  /** Deleting the rows of a finished push is not urgent: it can wait for the next batch. */
  override urgent({ event }: Recorded<PushingEvent>): boolean {
    return event.type !== 'PushReported' && !(event.type === 'PushCleared' && !event.left);
  }

  /** A push without devices requires no delivery. */
  override concerns({ event }: Recorded<PushingEvent>): boolean {
    return !isPushed(event) || subjectsOf(event).some(({ deviceIds }) => deviceIds.length > 0);
  }

  override async apply(sql: Sql, events: readonly Recorded<PushingEvent>[]): Promise<void> {
    if (sql.rebuilding) throw new Error('Deliveries hold unfinished work: they cannot be rebuilt');
    const reports = ofType(events, 'PushReported');
    const final = idsOf(reports.filter(({ final }) => final));
    const clearings = ofType(events, 'PushCleared');
    const cleared = idsOf(clearings);
    const ended = events.flatMap((recorded) =>
      isEnded(recorded.event) ? [{ recorded, event: recorded.event }] : [],
    );
    const over = new Set(ended.map(({ event }) => event.interactionId));
    const paged = await followPages(sql, events.filter(isPageEvent));
    for (const { pushId } of paged) over.add(pushId);
    const orders = pushes(events, over);
    await this.keepPrompts(sql, orders);
    if (ended.length > 0) orders.push(...(await this.clearings(sql, ended)));
    for (const { pushId, accountId, deviceIds, recorded, at } of paged)
      orders.push(clearing(pushId, { deviceIds, recorded, accountId, since: at }));
    orders.push(...leftOnes(events));
    const wholly = idsOf(clearings.filter(({ left }) => !left));
    const done = new Set([...final, ...[...wholly].map(clearingOf)]);
    const open = orders.filter(({ id }) => !done.has(id));
    if (open.length > 0) await this.writeDown(sql, open);
    await settleReported(
      sql,
      reports.filter(({ subjectId }) => !final.has(subjectId)),
    );
    const unwanted = [...new Set([...cleared, ...over])];
    if (unwanted.length > 0) await this.supersede(sql, unwanted);
    if (done.size > 0) await sql.query(`DELETE FROM deliveries WHERE subject_id = ANY($1)`, [[...done]]);
    const clearedLater = [...final].filter((id) => /^(int|psh)_/.test(id));
    if (clearedLater.length > 0) await this.releaseClearings(sql, clearedLater);
  }

  /** Stores which phones may show a prompt, until the prompt ends. */
  private async keepPrompts(sql: Sql, orders: readonly Order[]): Promise<void> {
    const asked = orders.filter(({ recorded }) => recorded.type === 'InteractionAsked');
    if (asked.length === 0) return;
    const given = columns({ id: 'text', devices: 'jsonb' }, asked, ({ id, deviceIds }) => ({
      id,
      devices: JSON.stringify(deviceIds),
    }));
    await sql.query(
      `INSERT INTO prompts (prompt_id, device_ids)
       SELECT n.id, ARRAY(SELECT jsonb_array_elements_text(n.devices)) FROM ${given.rows} ON CONFLICT DO NOTHING`,
      given.values,
    );
  }

  /**
   * A prompt that has ended is removed from all phones, including the answering phone, which has already removed it
   * itself. Whether a phone has the prompt at all is checked when its clearing is sent, since the push may still be in
   * transit now.
   */
  private async clearings(
    sql: Sql,
    ended: readonly { readonly recorded: Recorded<AnyEvent>; readonly event: InteractionEnded }[],
  ): Promise<Order[]> {
    const rows = await sql.query<{ prompt_id: string; device_ids: string[] }>(
      `DELETE FROM prompts WHERE prompt_id = ANY($1) RETURNING prompt_id, device_ids`,
      [ended.map(({ event }) => event.interactionId)],
    );
    const devices = new Map(rows.map((row) => [row.prompt_id, row.device_ids]));
    return ended.flatMap(({ recorded, event }): Order[] => {
      const deviceIds = devices.get(event.interactionId);
      if (!deviceIds) return [];
      const since = endOf(event).at;
      return [clearing(event.interactionId, { deviceIds, recorded, accountId: event.accountId, since })];
    });
  }

  /**
   * Rows within the worker's free capacity are leased to it on insert, which saves a second write to lease them. An
   * account leases at most as much capacity as it leaves available to the others.
   */
  private async writeDown(sql: Sql, orders: readonly Order[]): Promise<void> {
    const may = this.worker.claim();
    let available = may?.available ?? 0;
    const given = new Map<string, number>();
    const now = this.clock.now();
    const rows = orders.flatMap((order) => {
      const doubtful = Date.now() - millis(order.recorded.at) > doubtfulMs;
      const { length: count } = order.deviceIds;
      const before = this.worker.leasedOf(order.accountId) + (given.get(order.accountId) ?? 0);
      const isOwned = !doubtful && !order.isOver && before + count <= available - count;
      if (isOwned) {
        available -= count;
        given.set(order.accountId, (given.get(order.accountId) ?? 0) + count);
      }
      return order.deviceIds.map((deviceId) => ({ order, deviceId, doubtful, isOwned }));
    });
    const written = columns(
      {
        subject_id: 'text',
        device_id: 'text',
        delivery_id: 'text',
        account_id: 'text',
        recipients: 'jsonb',
        source: 'text',
        partition: 'smallint',
        position: 'numeric',
        targets: 'smallint',
        expires_at: 'timestamptz',
        due_at: 'timestamptz',
        doubtful: 'boolean',
        owner: 'integer',
      },
      rows,
      ({ order, deviceId, doubtful, isOwned }) => ({
        subject_id: order.id,
        device_id: deviceId,
        delivery_id: deriveId('rcp', millis(order.since), order.id, deviceId),
        account_id: order.accountId,
        recipients: order.recipients ? JSON.stringify(order.recipients) : null,
        source: linkTo(order.recorded),
        partition: order.recorded.metadata.partition ?? 0,
        position: String(order.recorded.position),
        targets: order.deviceIds.length,
        expires_at: order.expiresAt,
        due_at: now,
        doubtful,
        owner: isOwned ? may!.owner : null,
      }),
      { from: 2 },
    );
    const owned = await sql.query<TaskRow & { owner: number | null }>(
      `WITH w AS (
         INSERT INTO deliveries (${written.names}, owned_until)
         SELECT n.*, CASE WHEN n.owner IS NOT NULL THEN clock_timestamp() + make_interval(secs => $1) END FROM ${written.rows}
         ON CONFLICT DO NOTHING RETURNING *)
       SELECT w.owner, ${taskColumns} FROM w LEFT JOIN devices d ON d.device_id = w.device_id`,
      [may?.ownedSeconds ?? 0, ...written.values],
    );
    const causes = new Map(orders.map(({ id, recorded }) => [id, recorded]));
    const tasks = owned.flatMap((row) => (row.owner === null ? [] : [taskOf(row, row.owner)]));
    sql.afterCommit?.(() => {
      if (may) this.worker.begin(tasks, causes, may);
      if (tasks.length < owned.length) this.worker.kick();
    });
  }

  /**
   * A phone whose push is still waiting must not ring after the push was cleared from the others. An attempt in
   * progress is left to finish, so that its result shows whether the phone has received the push.
   */
  private async supersede(sql: Sql, subjectIds: readonly string[]): Promise<void> {
    await sql.query(
      `UPDATE deliveries SET unwanted = true WHERE subject_id = ANY($1) AND state = 'waiting'`,
      [subjectIds],
    );
    await sql.query(
      `UPDATE deliveries SET state = CASE WHEN ambiguous OR doubtful THEN 'unknown' ELSE 'error' END,
         error_code = 'superseded', checked_at = $2
       WHERE subject_id = ANY($1) AND state = 'waiting' AND owner IS NULL`,
      [subjectIds, this.clock.now()],
    );
    sql.afterCommit?.(() => this.worker.supersede(subjectIds));
  }

  /** The phones that received these pushes are now known: the clearings that waited for that are due. */
  private async releaseClearings(sql: Sql, subjectIds: readonly string[]): Promise<void> {
    const released = await sql.query(
      `UPDATE deliveries SET due_at = $2, held = NULL
       WHERE subject_id = ANY($1) AND held IS NOT NULL AND state = 'waiting' AND owner IS NULL RETURNING 1`,
      [subjectIds.map(clearingOf), this.clock.now()],
    );
    if (released.length > 0) sql.afterCommit?.(() => this.worker.kick());
  }
}

/** The pushes that the events require. */
const pushes = (events: readonly Recorded<PushingEvent>[], over: ReadonlySet<string>): Order[] =>
  events.flatMap((recorded): Order[] => {
    const { event } = recorded;
    if (!isPushed(event)) return [];
    return subjectsOf(event).map(({ id, accountId, recipients, deviceIds, sentAt: since, expiresAt }) => ({
      id,
      deviceIds,
      recorded,
      accountId,
      ...recipientsOf({ recipients }),
      since,
      expiresAt,
      isOver: over.has(id),
    }));
  });

/** The clearings for phones that a withdrawal skipped because it was unknown whether they have the push. */
const leftOnes = (events: readonly Recorded<PushingEvent>[]): Order[] =>
  events.flatMap((recorded): Order[] => {
    const { event } = recorded;
    if (event.type !== 'PushCleared' || !event.left) return [];
    const { subjectId, accountId, left: deviceIds, clearedAt: since } = event;
    return [clearing(subjectId, { deviceIds, recorded, accountId, since })];
  });

/** The order to clear a push from the phones. */
const clearing = (
  subjectId: string,
  order: Pick<Order, 'deviceIds' | 'recorded' | 'accountId' | 'since'>,
): Order => ({
  ...order,
  id: clearingOf(subjectId),
  expiresAt: plus(order.since, clearingLifetimeMs),
  isOver: false,
});

const idsOf = (events: readonly (PushReported | PushCleared)[]): ReadonlySet<string> =>
  new Set(events.map(({ subjectId }) => subjectId));
