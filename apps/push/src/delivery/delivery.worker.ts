import {
  type Backlog,
  backlogOf,
  type LeaseClaim,
  type RowLease,
  Database,
  type DeadLetterBox,
  releaseLeases,
  renewLeases,
  isTooLarge,
  Queue,
  type LeasedJobs,
} from '@carillon/event-store';
import type { AnyEvent } from '@carillon/contracts';
import { instant, isPassing, millis, type Recorded } from '@carillon/eventing';
import { pushSettledSeconds } from '@carillon/metrics';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
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
/**
 * Leases due deliveries. Rows are named by their places in the table, so that no plan of this is a scan of all of them,
 * also one that was made while the table was empty.
 */
export const leasingDue = `WITH due AS (
  SELECT ctid AS place FROM deliveries
  WHERE state = 'waiting' AND owner IS NULL AND due_at <= $1 AND account_id <> ALL ($5)
  ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED),
w AS (
  UPDATE deliveries u SET owner = $3, owned_until = now() + make_interval(secs => $4)
  FROM due WHERE u.ctid = due.place RETURNING u.*)
SELECT ${taskColumns} FROM w
LEFT JOIN LATERAL (SELECT * FROM devices o WHERE o.device_id = w.device_id LIMIT 1) d ON true`;
/** A push that has not begun this long after its rows were leased is not sent under this lease. */
const beginWithinMs = 60_000;
/** The retry delay for a push that could not begin because a dependency was unavailable. */
const beginAgainMs = 5_000;
/** The results known after this are saved, even while other devices of the push are still pending. */
const earlyMs = 500;
/** A push that takes longer than this may have been reported to its sender, who waits for ten seconds. */
const lateMs = 5_000;
/** The results of a push that could not be saved are saved again after these delays. */
const firstBackoffMs = 100;
const maxBackoffMs = 2_000;
/** The retry delay for a push to a device that failed with an unexpected error. */
const afterFailureMs = 60_000;

/** Sends the deliveries that the deliveries process inserts, and reports each push once all its devices are settled. */
@Injectable()
export class DeliveryWorker extends Queue<DeliveryJob> {
  readonly name = 'deliveries';
  override readonly capacity = 500;
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
    sender.onTaken((credential) =>
      this.watch(
        this.free(credential),
        'Failed to release the pushes held for a credential: each is retried when it is next due',
      ),
    );
  }

  /** The claim under which new rows can be inserted as already leased by this process. */
  override claim(): LeaseClaim | undefined {
    return super.claim();
  }

  /** How many rows of an account this process has leased. */
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

  /** Stops these withdrawn pushes: those not sent yet are not sent. */
  supersede(subjectIds: readonly string[]): void {
    const ids = new Set(subjectIds);
    for (const group of this.groups) if (ids.has(group.subjectId)) group.superseded = true;
    this.watch(this.checks.add(...subjectIds), 'Failed to report settled pushes: the worker tries again');
  }

  private watch(work: Promise<unknown>, failure: string): void {
    work.catch((error: unknown) => {
      if (this.isRunning) this.logger.error({ err: error }, failure);
    });
  }

  // ------------------------------------------------------------------------------------------------ owning

  async take({ owner, ownedSeconds, available, fullAccounts }: LeaseClaim): Promise<LeasedJobs<DeliveryJob>> {
    const limit = Math.min(takeAtOnce, available);
    const rows = await this.database.query<TaskRow>(leasingDue, [
      this.clock.now(),
      limit,
      owner,
      ownedSeconds,
      fullAccounts,
    ]);
    const tasks = rows.map((row) => taskOf(row, owner));
    const jobs = [...groupBy(tasks, ({ subjectId }) => subjectId).values()].map((of) => ({ tasks: of }));
    return { jobs, more: rows.length === limit };
  }

  async renew(jobs: readonly DeliveryJob[], lease: RowLease): Promise<void> {
    const rows = jobs.flatMap(({ tasks }) =>
      tasks.map(({ subjectId, deviceId }) => ({ subject_id: subjectId, device_id: deviceId })),
    );
    await this.database.query(...renewLeases('deliveries', ['subject_id', 'device_id'], rows, lease));
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

  /**
   * The former lease owner may have sent the pushes of these rows: `doubtful` makes the next owner check the log first.
   */
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

  /** Reports pushes that are settled but were not reported. */
  override async tidy(): Promise<void> {
    const settled = await this.database.query<{ subject_id: string }>(
      `SELECT DISTINCT s.subject_id FROM deliveries s WHERE s.state <> 'waiting' AND NOT EXISTS (
         SELECT 1 FROM deliveries w WHERE w.subject_id = s.subject_id AND w.state = 'waiting')
       LIMIT 500`,
    );
    if (settled.length > 0) await this.checks.add(...settled.map(({ subject_id }) => subject_id));
  }

  /** Makes the pushes that waited for this credential due: the provider accepts it again. */
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
    const { subjectId, accountId, recipients, source, partition } = tasks[0]!;
    const cleared = clearedBy(subjectId);
    const cause = known ?? (await this.attempts.sourceOf(source));
    const { traceparent } = cause?.metadata ?? {};
    const group: Group = { subjectId, traceparent, superseded: false };
    const correlationId = cause?.metadata.correlationId ?? cleared ?? subjectId;
    this.groups.add(group);
    const results = new Map<DeliveryTask, Result>();
    const written = new Set<DeliveryTask>();
    let writing: Promise<void> = Promise.resolve();
    const writeFresh = async (): Promise<void> => {
      const fresh = [...results.values()].filter(({ work }) => !written.has(work));
      if (fresh.length > 0) await this.saves.add(...fresh);
      for (const { work } of fresh) written.add(work);
    };
    // One after another: a result is written once, and again only when the write before failed.
    const writeKnown = (): Promise<void> => (writing = writing.catch(() => {}).then(writeFresh));
    const early = setTimeout(
      () => this.watch(writeKnown(), 'Failed to save the results of a push: they are saved at its end'),
      earlyMs,
    );
    try {
      const attempt =
        cleared === undefined
          ? await this.attempts.pushing(tasks, cause, group, mayBegin)
          : await this.attempts.clearing(cleared, tasks, cause, group, mayBegin);
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
    if (results.size === 0) return;
    const receipts = tasks.length === tasks[0]!.targets ? receiptsOf(tasks, results) : undefined;
    const end = { subjectId, accountId, recipients, partition, correlationId, traceparent };
    if ((await this.keep(receipts && { ...end, receipts }, writeKnown, isOurs)) !== 'saved') return;
    await this.checks.add(subjectId);
    const isSettled = [...results.values()].some(({ sent }) => sent.to === 'settled');
    const isLate = cause && Date.now() - millis(cause.at) > lateMs;
    if (isSettled && isLate && cleared === undefined) await this.noteSettled(end);
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
        this.logger.error(
          { err: error, subject, device, traceparent },
          'A push to a device failed unexpectedly: it is retried in a minute unless it expires before',
        );
      const progress = { ...work.progress, failures: work.progress.failures + 1, ambiguous: true };
      const untilMs = this.clock.ms() + afterFailureMs;
      if (untilMs >= work.expiresAtMs) return settledAs('unknown', 'internal');
      return { to: 'wait', untilMs, held: null, progress, errorCode: 'internal' };
    }
  }

  // --------------------------------------------------------------------------------------------- reporting

  /** Reports these pushes and clearings, as far as they are settled. */
  private async reportSettled(subjectIds: readonly string[]): Promise<void> {
    await Promise.all((await this.reports.settled(subjectIds)).map((end) => this.reported(end)));
  }

  private async noteSettled(end: Omit<End, 'receipts'>): Promise<void> {
    try {
      await this.reports.noteSettled(end);
    } catch (error) {
      if (this.isRunning)
        this.logger.warn(
          { err: error, subject: end.subjectId, traceparent: end.traceparent },
          'Failed to record the settled devices of a pending push: its next report has them',
        );
    }
  }

  /**
   * Records the end of a push or, if it has none yet, saves the known results in its rows; again while both fail, since
   * the next owner sends again what neither the log nor the rows have.
   */
  private async keep(
    end: End | undefined,
    save: () => Promise<void>,
    isOurs: () => boolean,
  ): Promise<'reported' | 'saved' | 'lost'> {
    for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(backoffMs * 2, maxBackoffMs))
      try {
        // Usually all devices are settled at once: the report is appended directly, and the process deletes the rows
        // when it sees it. The log records an end once, so that it needs no lease, unlike the rows.
        if (end && (await this.reported(end))) return 'reported';
        if (!isOurs()) return 'lost';
        await save();
        return 'saved';
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (!isOurs()) return 'lost';
        await sleep(backoffMs);
      }
  }

  /** Records the end of a push or a clearing. False when the log is unavailable or the event is too large for it. */
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
