import type { AnyEvent, ReceiptStatus } from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Clock, setting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { pushOf } from '../payload/payload';
import { isPushed } from '../payload/pushed';
import { Slots } from '../transport/slots';
import type { PushMessage } from '../transport/transport';
import { notReached, notificationIdOf, titleOfEnd } from './clearing';
import { delivery } from './delivery';
import { People } from './people.client';
import { Alert, consoleUrlOf, withdrawal } from './message';
import { receiptsOnRecord } from './reports.service';
import { settledAs, superseded } from './results';
import { PushSender, type SendResult } from './sender.client';
import { eventAt, type DeliveryTask } from './delivery-task';

/** The maximum number of streams read concurrently, however many pushes are due. */
const readsAtOnce = 32;
/** A clearing checks again after this whether the push itself has ended, in case no signal releases it before. */
const lookAgainMs = 2_000;

/** The shared state of the tasks of one push while they are being sent. */
export interface Group {
  readonly subjectId: string;
  /** The trace of what is pushed. */
  readonly traceparent: string | undefined;
  /** The push was withdrawn. */
  superseded: boolean;
}

/** Sends one task. */
export type SendTask = (work: DeliveryTask) => Promise<SendResult>;

/**
 * Provides the function that sends the tasks of a push or of a clearing. Tasks already recorded in the log are not sent
 * again.
 */
@Injectable()
export class Attempts {
  private readonly reads = new Slots(readsAtOnce);
  private readonly consoleUrl = consoleUrlOf(setting('CARILLON_BASE_URL', ''));

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PushSender) private readonly sender: PushSender,
    @Inject(People) private readonly people: People,
  ) {}

  /** The function that sends the tasks of a push; undefined when the log already has the final report of the push. */
  async pushing(
    tasks: readonly DeliveryTask[],
    cause: Recorded<AnyEvent> | undefined,
    group: Group,
    mayBegin: () => boolean,
  ): Promise<SendTask | undefined> {
    const before = tasks.some(({ doubtful }) => doubtful)
      ? await this.alreadyDone(group.subjectId)
      : undefined;
    if (before === 'reported') return undefined;
    const push = cause && isPushed(cause.event) ? pushOf(cause.event) : undefined;
    const message = push && new Alert(push, this.consoleUrl);
    return async (work) => {
      const done = before?.get(work.deviceId);
      if (done) return done;
      if (work.unwanted) return superseded(work, work.progress);
      if (!message) return settledAs('error', 'content_gone');
      const sent = await this.attempt(work, message, work.deliveryId, group, mayBegin);
      return sent.to === 'wait' && group.superseded ? superseded(work, sent.progress) : sent;
    };
  }

  /**
   * The function that sends the tasks of a clearing, each after the push to its phone; undefined when the log already
   * has the final result.
   */
  async clearing(
    subjectId: string,
    tasks: readonly DeliveryTask[],
    cause: Recorded<AnyEvent> | undefined,
    group: Group,
    mayBegin: () => boolean,
  ): Promise<SendTask | undefined> {
    const reached = await this.reachedBy(subjectId);
    if (reached === 'cleared') return undefined;
    const id = notificationIdOf(subjectId, cause);
    const isShown = tasks.some(({ address }) => typeof address === 'object' && address.platform === 'web');
    const title = titleOfEnd(cause?.event, isShown ? await this.people.whoAnswered(cause) : undefined);
    const message = withdrawal(id, this.clock.now(), title, this.consoleUrl);
    return async (work) => {
      switch (reached.get(work.deviceId)) {
        case 'error':
          return settledAs('error', notReached);
        case 'pending': {
          const untilMs = this.clock.ms() + lookAgainMs;
          return { to: 'wait', untilMs, held: subjectId, progress: work.progress, errorCode: null };
        }
        default:
          return this.attempt(work, message, `clear ${work.deliveryId}`, group, mayBegin);
      }
    };
  }

  /** The event that caused a task; undefined when the event is no longer readable. */
  async sourceOf(source: string): Promise<Recorded<AnyEvent> | undefined> {
    const { stream, revision } = eventAt(source);
    const [found] = await this.reading(() => this.log.store.read(stream, revision, 1));
    if (!found) return undefined;
    const [recorded] = await this.log.open([found]);
    return recorded as Recorded<AnyEvent> | undefined;
  }

  private async attempt(
    work: DeliveryTask,
    message: PushMessage,
    id: string,
    group: Group,
    mayBegin: () => boolean,
  ): Promise<SendResult> {
    const { address, progress, expiresAtMs } = work;
    if (address === 'unknown') return this.unknownDevice(work);
    if (address === 'inactive') return settledAs('error', 'device_inactive');
    return this.sender.send({
      id,
      address,
      message,
      expiresAtMs,
      progress,
      traceparent: group.traceparent,
      stop: (sofar) => {
        if (group.superseded) return superseded(work, sofar);
        return mayBegin() ? undefined : { to: 'lost' };
      },
    });
  }

  /**
   * A device without a row no longer exists, unless the devices projection lags behind, for example during a rebuild.
   */
  private async unknownDevice({ position, progress }: DeliveryTask): Promise<SendResult> {
    const [devices] = await this.database.query(
      `SELECT 1 FROM projection_checkpoints WHERE name = 'devices' AND position >= $1`,
      [position],
    );
    if (devices) return settledAs('error', 'device_gone');
    return { to: 'wait', untilMs: this.clock.ms() + 1_000, held: null, progress, errorCode: null };
  }

  /** Reads from the log with limited concurrency: thousands of pushes may become due at once. */
  private async reading<Read>(read: () => Promise<Read>): Promise<Read> {
    const slot = this.reads.take('');
    if (slot) await slot;
    try {
      return await read();
    } finally {
      this.reads.give();
    }
  }

  /** The results that the log has of a push that another process may already have worked on. */
  private async alreadyDone(subjectId: string): Promise<'reported' | Map<string, SendResult>> {
    const { state } = await this.reading(() => this.log.load(delivery, subjectId));
    if (state?.final) return 'reported';
    const done = new Map<string, SendResult>();
    for (const { deviceId, status, errorCode } of state?.receipts ?? []) {
      if (status !== 'pending') done.set(deviceId, settledAs(status, errorCode));
      else if (state?.cleared) done.set(deviceId, settledAs('error', 'superseded'));
    }
    return done;
  }

  /** The state of a push on each phone, for clearing it; a phone that is missing from the map may have the push. */
  private async reachedBy(subjectId: string): Promise<'cleared' | ReadonlyMap<string, ReceiptStatus>> {
    // Rows are read before the log: they are deleted once the log has the final report.
    const rows = await this.database.query<{ device_id: string; status: ReceiptStatus }>(
      `SELECT device_id, CASE state WHEN 'waiting' THEN 'pending' ELSE state END AS status
       FROM deliveries WHERE subject_id = $1`,
      [subjectId],
    );
    const { state } = await this.reading(() => this.log.load(delivery, subjectId));
    if (state?.cleared && !state.cleared.left) return 'cleared';
    if (state?.final) {
      const receipts = await receiptsOnRecord(this.log, state);
      return new Map(receipts.map(({ deviceId, status }) => [deviceId, status]));
    }
    return new Map(rows.map((row) => [row.device_id, row.status]));
  }

  /** Deletes the rows of a push whose final report is in the log. */
  async discard(subjectId: string): Promise<void> {
    await this.database.query(`DELETE FROM deliveries WHERE subject_id = $1`, [subjectId]);
  }
}
