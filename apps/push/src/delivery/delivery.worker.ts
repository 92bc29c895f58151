import {
  type Backlog,
  backlogOf,
  type LeaseClaim,
  Database,
  type DeadLetterBox,
  releaseLeases,
  isTooLarge,
  Queue,
  type LeasedJobs,
} from '@carillon/event-store';
import type { AnyEvent } from '@carillon/contracts';
import { instant, millis, type Recorded } from '@carillon/eventing';
import { pushSettledSeconds } from '@carillon/metrics';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { type SendTask, Attempts, type Group } from './attempts.service';
import { Batches } from './batches';
import { clearedBy } from './clearing';
import { groupBy } from './groups';
import { type End, Reports } from './reports.service';
import { receiptsOf, type Result, settledAs } from './results';
import { writeResults } from './results.entity';
import { PushSender, type SendResult } from './sender.client';
import type { DeliveryJob, DeliveryTask } from './delivery-task';
import { taskColumns, taskOf, type TaskRow } from './task-row';

const takeAtOnce = 500;
/** A push that was not begun so long after its rows were taken is left to whoever finds them next. */
const beginWithinMs = 60_000;
/** A push that could not be begun, since a part was away, is tried again after this. */
const beginAgainMs = 5_000;
/** What is known of a push whose other devices are slow is written down after this. */
const earlyMs = 500;
/** A push to a device that failed in a way that nobody has thought of is tried again after this. */
const afterFailureMs = 60_000;

/** Does the work that the deliveries process writes down, and reports each push when all its devices are settled. */
@Injectable()
export class DeliveryWorker extends Queue<DeliveryJob> {
  readonly name = 'deliveries';
  override readonly capacity = 4_000;
  private readonly groups = new Set<Group>();
  private readonly saves: Batches<Result>;
  private readonly checks: Batches<string>;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PushSender) sender: PushSender,
    @Inject(Attempts) private readonly attempts: Attempts,
    @Inject(Reports) private readonly reports: Reports,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.saves = new Batches((results) => writeResults(database, results));
    this.checks = new Batches((subjectIds) => this.reportSettled(subjectIds));
    sender.onTaken((credential) => this.watch(this.free(credential), 'Held pushes were not released'));
  }

  /** Under what rows may be written that this process has in hand at once. */
  override claim(): LeaseClaim | undefined {
    return super.claim();
  }

  /** How many rows of an account this process has in hand. */
  override leasedOf(accountId: string): number {
    return super.leasedOf(accountId);
  }

  /** Begins work that was just written down as this process's own. */
  begin(
    tasks: readonly DeliveryTask[],
    causes: ReadonlyMap<string, Recorded<AnyEvent>>,
    claim: LeaseClaim,
  ): void {
    for (const [subjectId, of] of groupBy(tasks, (work) => work.subjectId))
      this.takeOver({ tasks: of, cause: causes.get(subjectId) }, claim);
  }

  /** Nobody wants these pushes any more: those that were not sent yet are not sent. */
  supersede(subjectIds: readonly string[]): void {
    const ids = new Set(subjectIds);
    for (const group of this.groups) if (ids.has(group.subjectId)) group.superseded = true;
    this.watch(this.checks.add(...subjectIds), 'A push was not reported');
  }

  private watch(work: Promise<unknown>, failure: string): void {
    work.catch((error: unknown) => {
      if (this.isRunning) this.logger.error({ err: error }, failure);
    });
  }

  // ------------------------------------------------------------------------------------------------ owning

  async take({ owner, ownedSeconds, available, fullAccounts }: LeaseClaim): Promise<LeasedJobs<DeliveryJob>> {
    const limit = Math.min(takeAtOnce, available);
    const rows = await this.database.query<TaskRow>(
      `WITH due AS (
         SELECT subject_id, device_id FROM deliveries
         WHERE state = 'waiting' AND owner IS NULL AND due_at <= $1 AND account_id <> ALL ($5)
         ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED),
       w AS (
         UPDATE deliveries u SET owner = $3, owned_until = now() + make_interval(secs => $4)
         FROM due WHERE u.subject_id = due.subject_id AND u.device_id = due.device_id RETURNING u.*)
       SELECT ${taskColumns} FROM w LEFT JOIN devices d ON d.device_id = w.device_id`,
      [this.clock.now(), limit, owner, ownedSeconds, fullAccounts],
    );
    const tasks = rows.map((row) => taskOf(row, owner));
    const jobs = [...groupBy(tasks, ({ subjectId }) => subjectId).values()].map((of) => ({ tasks: of }));
    return { jobs, more: rows.length === limit };
  }

  override weight({ tasks }: DeliveryJob): number {
    return tasks.length;
  }

  override accountOf({ tasks }: DeliveryJob): string {
    return tasks[0]!.accountId;
  }

  async postpone({ tasks }: DeliveryJob): Promise<void> {
    const { subjectId, owner } = tasks[0]!;
    await this.database.query(
      `UPDATE deliveries SET owner = NULL, owned_until = NULL, doubtful = true, due_at = $4
       WHERE subject_id = $1 AND device_id = ANY($2) AND owner = $3 AND state = 'waiting'`,
      [subjectId, tasks.map(({ deviceId }) => deviceId), owner, instant(this.clock.ms() + beginAgainMs)],
    );
  }

  /** The process that owned the rows may have sent their pushes: who takes them next looks into the log first. */
  async release(which: string): Promise<number> {
    const rows = await this.database.query(
      releaseLeases('deliveries', ['subject_id', 'device_id'], which, ['doubtful = true']),
    );
    return rows.length;
  }

  backlog(): Promise<Backlog> {
    const due = `deliveries WHERE state = 'waiting' AND owner IS NULL AND due_at <= $1`;
    return backlogOf(this.database, due, [this.clock.now()]);
  }

  override get deadLetters(): DeadLetterBox {
    return this.reports.buried;
  }

  about({ tasks }: DeliveryJob): object {
    return { subject: tasks[0]?.subjectId };
  }

  /** Finds pushes that are settled and were not reported. */
  override async tidy(): Promise<void> {
    const settled = await this.database.query<{ subject_id: string }>(
      `SELECT DISTINCT s.subject_id FROM deliveries s WHERE s.state <> 'waiting' AND NOT EXISTS (
         SELECT 1 FROM deliveries w WHERE w.subject_id = s.subject_id AND w.state = 'waiting')
       LIMIT 500`,
    );
    if (settled.length > 0) await this.checks.add(...settled.map(({ subject_id }) => subject_id));
  }

  /** The credential is taken again: the pushes that waited for it go on. */
  private async free(credential: string): Promise<void> {
    await this.database.query(
      `UPDATE deliveries SET due_at = $2, held = NULL WHERE held = $1 AND state = 'waiting' AND owner IS NULL`,
      [credential, this.clock.now()],
    );
    this.kick();
  }

  // ------------------------------------------------------------------------------------------------- doing

  async do({ tasks, cause: known }: DeliveryJob, isOurs: () => boolean): Promise<void> {
    const beginBefore = Date.now() + beginWithinMs;
    const mayBegin = (): boolean => isOurs() && Date.now() <= beginBefore;
    const { subjectId, accountId, recipients, source } = tasks[0]!;
    const cleared = clearedBy(subjectId);
    const cause = known ?? (await this.attempts.sourceOf(source));
    const { traceparent } = cause?.metadata ?? {};
    const group: Group = { subjectId, traceparent, superseded: false };
    const correlationId = cause?.metadata.correlationId ?? cleared ?? subjectId;
    this.groups.add(group);
    const results = new Map<DeliveryTask, Result>();
    const written = new Set<DeliveryTask>();
    const writeKnown = (): Promise<void> => {
      const fresh = [...results.values()].filter(({ work }) => !written.has(work));
      for (const { work } of fresh) written.add(work);
      return fresh.length > 0 ? this.saves.add(...fresh) : Promise.resolve();
    };
    const early = setTimeout(() => this.watch(writeKnown(), 'The state of a push was not written'), earlyMs);
    try {
      const attempt =
        cleared === undefined
          ? await this.attempts.pushing(tasks, cause, group, mayBegin)
          : await this.attempts.clearing(cleared, cause, group, mayBegin);
      if (!attempt) return await this.attempts.discard(subjectId);
      await Promise.all(
        tasks.map(async (work) => {
          const sent = await this.contained(work, attempt, traceparent);
          if (sent.to !== 'lost') results.set(work, { work, sent, at: this.clock.now() });
          if (sent.to === 'settled' && cause && cleared === undefined)
            pushSettledSeconds.observe({ status: sent.status }, (Date.now() - millis(cause.at)) / 1_000);
        }),
      );
    } finally {
      clearTimeout(early);
      this.groups.delete(group);
    }
    if (!isOurs() || results.size === 0) return;
    const receipts = tasks.length === tasks[0]!.targets ? receiptsOf(tasks, results) : undefined;
    // The usual way: all devices at once, straight into the log. The process takes the rows away when it sees that.
    const end = { subjectId, accountId, recipients, correlationId, traceparent };
    if (receipts && (await this.reported({ ...end, receipts }))) return;
    await writeKnown();
    await this.checks.add(subjectId);
  }

  /** What goes wrong with one device is its own: those beside it keep their answers, and are not pushed again. */
  private async contained(
    work: DeliveryTask,
    attempt: SendTask,
    traceparent: string | undefined,
  ): Promise<SendResult> {
    try {
      return await attempt(work);
    } catch (error) {
      const { subjectId: subject, deviceId: device } = work;
      if (this.isRunning)
        this.logger.error({ err: error, subject, device, traceparent }, 'A push to a device failed');
      const progress = { ...work.progress, failures: work.progress.failures + 1, ambiguous: true };
      const untilMs = this.clock.ms() + afterFailureMs;
      if (untilMs >= work.expiresAtMs) return settledAs('unknown', 'internal');
      return { to: 'wait', untilMs, held: null, progress, errorCode: 'internal' };
    }
  }

  // --------------------------------------------------------------------------------------------- reporting

  /** Reports those of these pushes and clearings that are settled. */
  private async reportSettled(subjectIds: readonly string[]): Promise<void> {
    await Promise.all((await this.reports.settled(subjectIds)).map((end) => this.reported(end)));
  }

  /** Puts the end of a push or a clearing on record. False when the log cannot be reached, or will never take it. */
  private async reported(end: End): Promise<boolean> {
    try {
      await this.reports.put(end);
      return true;
    } catch (error) {
      if (isTooLarge(error)) await this.reports.bury(end, error);
      else if (this.isRunning)
        this.logger.warn(
          { err: error, subject: end.subjectId, traceparent: end.traceparent },
          'Failed to record the result of a push: the worker tries again',
        );
      return false;
    }
  }
}
