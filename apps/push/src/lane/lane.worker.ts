import {
  type Backlog,
  backlogOf,
  type LeaseClaim,
  renewLeases,
  type RowLease,
  columns,
  Database,
  Log,
  Queue,
  type Sql,
  type LeasedJobs,
} from '@carillon/event-store';
import { instant, Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Batches } from '../delivery/batches';
import { begun as atFirst } from '../delivery/delivery';
import { PushSender, type SendResult } from '../delivery/sender.client';
import { Slots } from '../transport/slots';
import { Addresses } from './addresses.service';
import { hasReached } from './checkpoint.entity';
import { ActivityMessage } from './content';
import { Contents, nothingLeft } from './contents.service';
import { take } from './due';
import type { Lane, LaneOutcome, Settlement } from './lane';
import { type LaneChange, changeLanes, writeLanes } from './lane.entity';
import { maxPaceMs, repaced } from './pace';
import { laneRecord, laneTail, settle } from './record';
import { farewellDone, postponed, released, resumed, tokenDied, waits } from './rest';
import { laneColumns, type LaneRow, noAddress } from './row';
import { Turns } from './turns.entity';
import { type DueRow, type LaneTask, taskOf } from './lane-task';

const takeAtOnce = 200;
/** An operation that has not begun this long after its lane was leased is not sent under this lease. */
const beginWithinMs = 60_000;
/** How long the worker retries to record an outcome. */
const recordWithinMs = 120_000;
/** The maximum number of outcomes recorded concurrently: hundreds at once would delay each other until all time out. */
const recordsAtOnce = 32;
const afterFailureMs = 5_000;
/** The interval at which a lane checks whether its device has registered its address. */
const addressEveryMs = 5_000;

/** Sends the waiting operations of lanes, one request at a time per lane, and records their outcomes. */
@Injectable()
export class LaneWorker extends Queue<LaneTask> {
  readonly name = 'lanes';
  override readonly capacity = 1_000;
  /** The log position of the last recorded outcome. */
  private recorded = 0n;
  private readonly doubts: Batches<void>;
  private readonly records = new Slots(recordsAtOnce);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PushSender) private readonly sender: PushSender,
    @Inject(Contents) private readonly contents: Contents,
    @Inject(Addresses) private readonly addresses: Addresses,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.doubts = new Batches(() => this.resolveDoubts());
    sender.onTaken((credential) =>
      this.watch(
        this.resume(credential),
        'Failed to release the live activities held for a credential: each is retried when it is next due',
      ),
    );
  }

  /** Starts a check of doubtful lanes, which other processes may have worked on. */
  doubt(): void {
    this.watch(
      this.doubts.add(undefined),
      'Failed to check doubtful live activities: the worker tries again',
    );
  }

  private watch(work: Promise<unknown>, failure: string): void {
    work.catch((error: unknown) => {
      if (this.isRunning) this.logger.error({ err: error }, failure);
    });
  }

  // ------------------------------------------------------------------------------------------------ owning

  async renew(jobs: readonly LaneTask[], lease: RowLease): Promise<void> {
    const rows = jobs.map(({ activityId, deviceId }) => ({ activity_id: activityId, device_id: deviceId }));
    await this.database.query(...renewLeases('lanes', ['activity_id', 'device_id'], rows, lease));
  }

  /**
   * The operations under way in these lanes may have been sent: the lanes are doubtful until the projection has caught
   * up with the log.
   */
  async release(which: string): Promise<number> {
    for (let total = 0; ;) {
      const count = await this.database.transaction(async (sql) => {
        const rows = await sql.query<LaneRow>(
          `SELECT ${laneColumns} FROM lanes WHERE ${which}
           ORDER BY activity_id, device_id LIMIT ${takeAtOnce} FOR UPDATE SKIP LOCKED`,
        );
        const atMs = this.clock.ms();
        await writeLanes(
          sql,
          rows.map((row) => ({ row, lane: released(row.lane, atMs), owner: null })),
          'true',
        );
        return rows.length;
      });
      total += count;
      if (count < takeAtOnce) return total;
    }
  }

  backlog(): Promise<Backlog> {
    const due = 'lanes WHERE owner IS NULL AND NOT doubtful AND due_at <= $1';
    return backlogOf(this.database, due, [this.clock.now()]);
  }

  override async tidy(): Promise<void> {
    await this.doubts.add(undefined);
  }

  /**
   * Clears the doubt of lanes that other processes worked on, once the projection has reached the present end of the
   * log.
   */
  private async resolveDoubts(): Promise<void> {
    const rows = await this.database.query<Pick<LaneRow, 'activity_id' | 'device_id'>>(
      `SELECT activity_id, device_id FROM lanes WHERE doubtful AND owner IS NULL LIMIT 5000`,
    );
    if (rows.length === 0 || !(await this.reached(await this.log.store.head()))) return;
    const known = columns({ activity_id: 'text', device_id: 'text' }, rows, (row) => row);
    await this.database.query(
      `UPDATE lanes l SET doubtful = false FROM ${known.rows}
       WHERE l.activity_id = n.activity_id AND l.device_id = n.device_id AND l.doubtful AND l.owner IS NULL`,
      known.values,
    );
    this.kick();
  }

  /** Whether the lanes projection reaches this log position within the timeout. */
  private reached(position: bigint): Promise<boolean> {
    return hasReached(this.database, 'lanes', position, () => this.isRunning);
  }

  /** Makes the lanes that waited for this credential due: the provider accepts it again. */
  private async resume(credential: string): Promise<void> {
    await this.database.transaction((sql) => changeLanes(sql, 'held = $1', [credential], resumed));
    this.kick();
  }

  /** The clock may have been set back since the last start. */
  override async prepare(): Promise<void> {
    const latestMs = this.clock.ms() + maxPaceMs;
    await this.database.transaction((sql) =>
      changeLanes(sql, `(lane ->> 'pacedUntilMs')::bigint > $1`, [latestMs], repaced),
    );
  }

  // ------------------------------------------------------------------------------------------------ taking

  take(claim: LeaseClaim): Promise<LeasedJobs<LaneTask>> {
    return this.database.transaction((sql) => this.takeIn(sql, claim));
  }

  override async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.database.query<{ due_at: Date | null }>(
      `SELECT min(due_at) AS due_at FROM lanes WHERE owner IS NULL AND NOT doubtful`,
    );
    return row?.due_at?.getTime();
  }

  override accountOf({ accountId }: LaneTask): string {
    return accountId;
  }

  private async takeIn(
    sql: Sql,
    { owner, ownedSeconds, available, fullAccounts }: LeaseClaim,
  ): Promise<LeasedJobs<LaneTask>> {
    const limit = Math.min(takeAtOnce, available);
    const nowMs = this.clock.ms();
    const rows = await sql.query<DueRow>(
      `SELECT l.activity_id, l.device_id, l.account_id, l.recipients, l.correlation_id, l.lane,
         d.account_id AS device_account_id, d.active, d.interactive_live_activities_capable AS interactive,
         d.push_token, d.push_environment, d.token_since, d.push_to_start_token, d.push_to_start_environment
       FROM lanes l LEFT JOIN devices d ON d.device_id = l.device_id
       WHERE l.owner IS NULL AND NOT l.doubtful AND l.due_at <= $1 AND l.account_id <> ALL ($3)
       ORDER BY l.due_at, l.activity_id LIMIT $2 FOR UPDATE OF l SKIP LOCKED`,
      [instant(nowMs), limit, fullAccounts],
    );
    if (rows.length === 0) return { jobs: [], more: false };
    const turns = await Turns.of(sql, rows, nowMs);
    const changes: LaneChange[] = [];
    const jobs: LaneTask[] = [];
    for (const row of rows) {
      const turn = take(turns.waiting(row), nowMs);
      if (turn.send?.operation.kind === 'start') turns.use(row.device_id);
      const isWork = turn.send !== null || turn.lane.owed.length > 0;
      changes.push({ row, lane: turn.lane, owner: isWork ? owner : null });
      if (isWork) jobs.push(taskOf(row, turn, owner));
    }
    await writeLanes(sql, changes, 'l.doubtful', ownedSeconds);
    await turns.write(sql);
    return { jobs, more: rows.length === limit };
  }

  // ----------------------------------------------------------------------------------------------- sending

  /** Puts a lane off. An operation that may have been sent is sent again, which is harmless on phones. */
  async postpone(work: LaneTask): Promise<void> {
    // A lane with only outcomes to report stays leased until the lease expires and the lane is released.
    if (work.send)
      await this.change(work, (now) =>
        postponed(released(now, this.clock.ms()), this.clock.ms() + afterFailureMs),
      );
  }

  about({ activityId, deviceId }: LaneTask): object {
    return { activity: activityId, device: deviceId };
  }

  /** Resolves when all recorded outcomes are projected, since they may make more operations due. */
  override async settled(): Promise<void> {
    await this.reached(this.recorded);
  }

  async do(work: LaneTask, isOurs: () => boolean): Promise<void> {
    const beginBefore = Date.now() + beginWithinMs;
    const { send, lane } = work;
    if (!send) return this.record(work, lane.owed, isOurs);
    const { operation } = send;
    const sent = await this.attempt(work, send, () => isOurs() && Date.now() <= beginBefore);
    switch (sent.to) {
      case 'settled': {
        const atMs = this.clock.ms();
        if (operation.isFarewell) {
          await this.change(work, farewellDone);
          return this.kick();
        }
        if (sent.dead && lane.token && operation.kind !== 'start' && lane.platform === 'ios') {
          const { hash } = lane.token;
          await this.change(work, (now) => tokenDied(now, hash, atMs));
          return this.kick();
        }
        if (sent.dead && (await this.addresses.hasMoved(work, () => this.isRunning))) {
          const again = { untilMs: atMs, held: null, progress: { ...atFirst, ...lane.progress }, atMs };
          await this.change(work, (now) => waits(now, again));
          return this.kick();
        }
        const { kind, sequence, round } = operation;
        const settlement = { kind, sequence, round, outcome: outcomeOf(sent), errorCode: sent.errorCode };
        return this.record(work, [settlement, ...lane.owed], isOurs);
      }
      case 'wait': {
        const { untilMs, held, progress } = sent;
        await this.change(work, (now) => waits(now, { untilMs, held, progress, atMs: this.clock.ms() }));
        return this.kick();
      }
      case 'lost':
        await this.change(work, (now) => released(now, this.clock.ms()));
    }
  }

  private async attempt(
    work: LaneTask,
    { operation, timestamp }: NonNullable<LaneTask['send']>,
    mayBegin: () => boolean,
  ): Promise<SendResult> {
    const { activityId, deviceId, lane, device } = work;
    const found = await this.contents.find(activityId, operation.shows);
    // An end is sent even without readable text, so that the activity does not stay on the phone.
    const content = found ?? (operation.kind === 'end' ? nothingLeft : undefined);
    if (!content) return { to: 'settled', status: 'error', errorCode: 'content_gone' };
    const nowMs = this.clock.ms();
    const address = await this.addresses.of(work, operation);
    if (address === 'nobody') return { to: 'settled', status: 'error', errorCode: 'device_inactive' };
    if (address === undefined)
      return {
        to: 'wait',
        untilMs: nowMs + addressEveryMs,
        held: noAddress,
        progress: { ...atFirst, ...lane.progress },
        errorCode: null,
      };
    return this.sender.send({
      id: `${laneTail(activityId, deviceId)} ${operation.kind} ${operation.sequence} ${operation.round}`,
      address,
      message: new ActivityMessage({
        activityId,
        content,
        isSilent: content.silentOn.has(deviceId),
        operation,
        sequence: operation.sequence + lane.shift + (operation.isFarewell ? 1 : 0),
        timestamp,
        expiresAtMs: lane.expiresAtMs,
        atMs: nowMs,
        isInteractive: lane.platform === 'android' || device?.interactive === true,
      }),
      expiresAtMs: operation.untilMs,
      progress: { ...atFirst, ...lane.progress },
      traceparent: this.contents.traceOf(activityId, operation.shows),
      stop: () => (mayBegin() ? undefined : { to: 'lost' }),
    });
  }

  // --------------------------------------------------------------------------------------------- reporting

  /** Puts on record what became of operations; the rows hear of it through the log. */
  private async record(
    work: LaneTask,
    settlements: readonly Settlement[],
    isOurs: () => boolean,
  ): Promise<void> {
    const { activityId, deviceId, accountId, recipients, correlationId } = work;
    const commandId = randomUUID();
    const decide = settle({ activityId, deviceId, accountId, recipients, settlements, at: this.clock.now() });
    for (const until = Date.now() + recordWithinMs; ;) {
      await this.records.take(accountId);
      try {
        const { events, position } = await this.log
          .transact(laneRecord, laneTail(activityId, deviceId), decide, {
            commandId,
            correlationId,
            accountId,
            actor: { process: 'push.lane' },
          })
          .finally(() => this.records.give());
        if (position > this.recorded) this.recorded = position;
        // The log already had the outcomes: the rows receive them from the projection.
        if (events.length === 0) await this.change(work, (now) => released(now, this.clock.ms()), 'true');
        return;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (!isOurs() || Date.now() > until) throw error;
        this.logger.warn(
          { err: error, activity: activityId },
          'Failed to record the result of a live activity push: the worker tries again',
        );
        await sleep(500);
      }
    }
  }

  /** Changes and releases a lane that is unchanged since this process leased it. */
  private async change(
    { activityId, deviceId, owner, send }: LaneTask,
    change: (lane: Lane) => Lane,
    doubtful: 'l.doubtful' | 'true' = 'l.doubtful',
  ): Promise<void> {
    await this.database.transaction(async (sql) => {
      const [row] = await sql.query<LaneRow>(
        `SELECT ${laneColumns} FROM lanes
         WHERE activity_id = $1 AND device_id = $2 AND owner = $3 FOR UPDATE`,
        [activityId, deviceId, owner],
      );
      if (!row) return;
      const isMine = send
        ? row.lane.isUnderWay && row.lane.timestamp === send.timestamp
        : !row.lane.isUnderWay;
      if (isMine) await writeLanes(sql, [{ row, lane: change(row.lane), owner: null }], doubtful);
    });
  }
}

const outcomeOf = ({ status, late }: Extract<SendResult, { to: 'settled' }>): LaneOutcome =>
  status === 'accepted' ? 'accepted' : late ? 'dropped' : 'failed';
