import type { DeviceRegistered, DeviceTokensChanged, PushEnvironment } from '@carillon/contracts';
import { type Claim, Database, Log, Queue, type Sql, type Taken } from '@carillon/event-store';
import { instant, Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { KeyRing, streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Batches } from '../delivery/batches';
import { begun as atFirst } from '../delivery/delivery';
import { type Address, Sender, type Sent } from '../delivery/sender.client';
import { tokenPlace } from '../device/devices.projection';
import { ActivityMessage } from './content';
import { Contents } from './contents.service';
import { take } from './due';
import type { Lane, LaneOutcome, Operation, Settlement } from './lane';
import { maxPaceMs, repaced, startEveryMs } from './pace';
import { farewellDone, postponed, released, resumed, tokenDied, waits } from './rest';
import { laneRecord, laneTail, settle } from './record';
import { dueInstant, noAddress, updateTokenPlace } from './row';

/** A lane that this process has in hand. */
interface Work {
  readonly activityId: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly correlationId: string;
  readonly owner: number;
  readonly lane: Lane;
  /** Null when there is only something to report. */
  readonly send: { readonly operation: Operation; readonly timestamp: number } | null;
  readonly device: DeviceRow | undefined;
}

interface DeviceRow {
  readonly device_account_id: string;
  readonly active: boolean;
  readonly interactive: boolean;
  readonly push_token: string | null;
  readonly push_environment: PushEnvironment;
  readonly token_since: Date;
  readonly push_to_start_token: string | null;
  readonly push_to_start_environment: PushEnvironment | null;
}

interface LaneRow {
  readonly activity_id: string;
  readonly device_id: string;
  readonly account_id: string;
  readonly correlation_id: string;
  readonly lane: Lane;
}

type DueRow = LaneRow & { [Field in keyof DeviceRow]: DeviceRow[Field] | null };

type Told = 'nobody' | Address;

const takeAtOnce = 200;
/** What was not begun so long after it was taken is left to whoever finds it next. */
const beginWithinMs = 60_000;
const recordWithinMs = 120_000;
const cleanEveryMs = 60_000;
const afterFailureMs = 5_000;
/** How often somebody looks whether a device has told its address. */
const addressEveryMs = 5_000;
/** How long after its deadline the lane of an activity is kept. */
const keptForMs = 24 * 60 * 60_000;
const caughtUpWithinMs = 5_000;

/** Tells phones what waits in their lanes, one request at a time in each, and puts on record what became of it. */
@Injectable()
export class LaneWorker extends Queue<Work> {
  readonly name = 'lanes';
  override readonly capacity = 1_000;
  /** Where the log was after what was recorded last. */
  private recorded = 0n;
  private cleanedAtMs = 0;
  private readonly doubts: Batches<void>;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Sender) private readonly sender: Sender,
    @Inject(Contents) private readonly contents: Contents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.doubts = new Batches(() => this.resolveDoubts());
    sender.onTaken((credential) =>
      this.watch(this.resume(credential), 'Held live activities were not released'),
    );
  }

  /** Some of what is in the lanes may have been worked on by others. */
  doubt(): void {
    this.watch(this.doubts.add(undefined), 'Doubtful live activities cannot be looked at');
  }

  private watch(work: Promise<unknown>, failure: string): void {
    work.catch((error: unknown) => {
      if (this.isRunning) this.logger.error({ err: error }, failure);
    });
  }

  // ------------------------------------------------------------------------------------------------ owning

  /** What was under way there may have been sent: it is doubtful until the log has told all that it knows. */
  protected async release(which: string): Promise<number> {
    for (let total = 0; ;) {
      const count = await this.database.transaction(async (sql) => {
        const rows = await sql.query<LaneRow>(
          `SELECT activity_id, device_id, account_id, correlation_id, lane FROM lanes WHERE ${which}
           ORDER BY activity_id, device_id LIMIT ${takeAtOnce} FOR UPDATE SKIP LOCKED`,
        );
        const atMs = this.clock.ms();
        await write(
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

  protected override async tidy(): Promise<void> {
    await this.doubts.add(undefined);
    if (Date.now() - this.cleanedAtMs < cleanEveryMs) return;
    this.cleanedAtMs = Date.now();
    await this.database.query(`DELETE FROM lanes WHERE expires_at < $1 AND owner IS NULL`, [
      instant(this.clock.ms() - keptForMs),
    ]);
  }

  /** Lanes that others have worked on are touched once they have all that the log had by now. */
  private async resolveDoubts(): Promise<void> {
    const rows = await this.database.query<Pick<LaneRow, 'activity_id' | 'device_id'>>(
      `SELECT activity_id, device_id FROM lanes WHERE doubtful AND owner IS NULL LIMIT 5000`,
    );
    if (rows.length === 0 || !(await this.reached(await this.log.store.head()))) return;
    await this.database.query(
      `UPDATE lanes l SET doubtful = false FROM unnest($1::text[], $2::text[]) AS n (activity_id, device_id)
       WHERE l.activity_id = n.activity_id AND l.device_id = n.device_id AND l.doubtful AND l.owner IS NULL`,
      [rows.map(({ activity_id }) => activity_id), rows.map(({ device_id }) => device_id)],
    );
    this.kick();
  }

  /** Whether the rows have, within some seconds, all that the log had at this position. */
  private async reached(position: bigint, name = 'lanes'): Promise<boolean> {
    for (const until = Date.now() + caughtUpWithinMs; ;) {
      const [there] = await this.database.query(
        `SELECT 1 FROM projection_checkpoints WHERE name = $1 AND position >= $2`,
        [name, String(position)],
      );
      if (there) return true;
      if (!this.isRunning || Date.now() > until) return false;
      await sleep(20);
    }
  }

  private async resume(credential: string): Promise<void> {
    await this.changeAll('held = $1', [credential], resumed);
    this.kick();
  }

  /** The clock may have been set back since. */
  protected override async prepare(): Promise<void> {
    const latestMs = this.clock.ms() + maxPaceMs;
    await this.changeAll(`(lane ->> 'pacedUntilMs')::bigint > $1`, [latestMs], repaced);
  }

  /** Changes lanes that nobody has in hand. */
  private changeAll(which: string, given: readonly unknown[], change: (lane: Lane) => Lane): Promise<void> {
    return this.database.transaction(async (sql) => {
      const rows = await sql.query<LaneRow>(
        `SELECT activity_id, device_id, account_id, correlation_id, lane FROM lanes
         WHERE ${which} AND owner IS NULL ORDER BY activity_id, device_id FOR UPDATE`,
        given,
      );
      await write(
        sql,
        rows.map((row) => ({ row, lane: change(row.lane), owner: null })),
      );
    });
  }

  // ------------------------------------------------------------------------------------------------ taking

  protected async take({ owner, ownedSeconds, room }: Claim): Promise<Taken<Work>> {
    const limit = Math.min(takeAtOnce, room);
    return this.database.transaction((sql) => this.takeIn(sql, owner, ownedSeconds, limit));
  }

  protected override async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.database.query<{ due_at: Date | null }>(
      `SELECT min(due_at) AS due_at FROM lanes WHERE owner IS NULL AND NOT doubtful`,
    );
    return row?.due_at?.getTime();
  }

  private async takeIn(sql: Sql, owner: number, ownedSeconds: number, limit: number): Promise<Taken<Work>> {
    const nowMs = this.clock.ms();
    const rows = await sql.query<DueRow>(
      `SELECT l.activity_id, l.device_id, l.account_id, l.correlation_id, l.lane,
         d.account_id AS device_account_id, d.active, d.interactive_live_activities_capable AS interactive,
         d.push_token, d.push_environment, d.token_since, d.push_to_start_token, d.push_to_start_environment
       FROM lanes l LEFT JOIN devices d ON d.device_id = l.device_id
       WHERE l.owner IS NULL AND NOT l.doubtful AND l.due_at <= $1
       ORDER BY l.due_at, l.activity_id LIMIT $2 FOR UPDATE OF l SKIP LOCKED`,
      [instant(nowMs), limit],
    );
    if (rows.length === 0) return { jobs: [], more: false };
    const turns = await Turns.of(sql, rows, nowMs);
    const changes: Change[] = [];
    const jobs: Work[] = [];
    for (const row of rows) {
      const turn = take(turns.waiting(row), nowMs);
      if (turn.send?.operation.kind === 'start') turns.use(row.device_id);
      const isWork = turn.send !== null || turn.lane.owed.length > 0;
      changes.push({ row, lane: turn.lane, owner: isWork ? owner : null });
      if (isWork) jobs.push(workOf(row, turn, owner));
    }
    await write(sql, changes, 'l.doubtful', ownedSeconds);
    await turns.write(sql);
    return { jobs, more: rows.length === limit };
  }

  // ----------------------------------------------------------------------------------------------- sending

  /** What may have been sent is told again, which phones do not mind. */
  protected async postpone(work: Work): Promise<void> {
    // What is only to be reported is left until its time is over; then somebody finds it.
    if (work.send)
      await this.change(work, (now) =>
        postponed(released(now, this.clock.ms()), this.clock.ms() + afterFailureMs),
      );
  }

  protected about({ activityId, deviceId }: Work): object {
    return { activity: activityId, device: deviceId };
  }

  /** What was recorded is in the rows, where it may make more work. */
  protected override async settled(): Promise<void> {
    await this.reached(this.recorded);
  }

  protected async do(work: Work, isOurs: () => boolean): Promise<void> {
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
        if (sent.dead && (await this.hasMoved(work))) {
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
    work: Work,
    { operation, timestamp }: NonNullable<Work['send']>,
    mayBegin: () => boolean,
  ): Promise<Sent> {
    const { activityId, deviceId, lane, device } = work;
    const content = await this.contents.find(activityId, operation.shows);
    if (!content) return { to: 'settled', status: 'error', errorCode: 'content_gone' };
    const nowMs = this.clock.ms();
    const address = await this.addressOf(work, operation);
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
        operation,
        sequence: operation.sequence + lane.shift + (operation.isFarewell ? 1 : 0),
        timestamp,
        expiresAtMs: lane.expiresAtMs,
        atMs: nowMs,
        isInteractive: lane.platform === 'android' || device?.interactive === true,
      }),
      expiresAtMs: operation.untilMs,
      progress: { ...atFirst, ...lane.progress },
      stop: () => (mayBegin() ? undefined : { to: 'lost' }),
    });
  }

  /** Where the operation goes; undefined while the device has not said it. */
  private async addressOf(work: Work, operation: Operation): Promise<Told | undefined> {
    const { activityId, deviceId, accountId, lane, device } = work;
    const base = { deviceId, accountId, platform: lane.platform, tokenSinceMs: 0 };
    const { platform, token } = lane;
    if (platform === 'ios' && operation.kind !== 'start') {
      if (!token) return undefined;
      const sealedFor = updateTokenPlace(activityId, deviceId);
      const { environment, sealed: sealedToken } = token;
      return { ...base, environment, sealedToken, sealedFor, isOfActivities: true };
    }
    // Its rows may be behind when all are being made anew.
    if (!device) return undefined;
    if (operation.isFarewell && !device.active) return this.lastAddress(work);
    if (!device.active || device.device_account_id !== accountId) return 'nobody';
    if (platform === 'android')
      return device.push_token === null
        ? 'nobody'
        : {
            ...base,
            environment: device.push_environment,
            sealedToken: device.push_token,
            tokenSinceMs: device.token_since.getTime(),
          };
    const { push_to_start_token: sealedToken, push_to_start_environment: environment } = device;
    if (sealedToken === null || environment === null) return undefined;
    return { ...base, environment, sealedToken, isOfActivities: true };
  }

  /** Whether the device has told another address since this one was read: what brought the lane may be ahead of it. */
  private async hasMoved({ deviceId, lane, device }: Work): Promise<boolean> {
    if (!(await this.reached(await this.log.store.head(), 'devices'))) return true;
    const [now] = await this.database.query<DeviceRow>(
      `SELECT push_token, push_to_start_token FROM devices WHERE device_id = $1`,
      [deviceId],
    );
    const field = lane.platform === 'ios' ? 'push_to_start_token' : 'push_token';
    const told = now?.[field] ?? null;
    return told !== null && told !== device?.[field];
  }

  /** Where a device that was taken off the account could be reached until then. Only the log knows. */
  private async lastAddress({ deviceId, accountId, lane }: Work): Promise<Told> {
    const events = await this.log.open(await this.log.store.read(`device-${streamTail(deviceId)}`));
    let last: { readonly token: string | null; readonly environment: PushEnvironment } | undefined;
    for (const { event } of events) {
      if (event.type === 'DeviceRegistered') {
        const { pushToken: token, pushEnvironment: environment } = event as DeviceRegistered;
        last = { token, environment };
      } else if (event.type === 'DeviceTokensChanged') {
        const { pushToken: token, environment } = event as DeviceTokensChanged;
        if (token !== null) last = { token, environment };
      }
    }
    if (!last || last.token === null) return 'nobody';
    return {
      deviceId,
      accountId,
      platform: lane.platform,
      environment: last.environment,
      sealedToken: this.keyRing.seal(last.token, tokenPlace(deviceId)),
      tokenSinceMs: 0,
      isOfActivities: true,
    };
  }

  // --------------------------------------------------------------------------------------------- reporting

  /** The rows hear of it through the log. */
  private async record(work: Work, settlements: readonly Settlement[], isOurs: () => boolean): Promise<void> {
    const { activityId, deviceId, accountId, correlationId } = work;
    const commandId = randomUUID();
    for (const until = Date.now() + recordWithinMs; ;) {
      try {
        const { events, position } = await this.log.transact(
          laneRecord,
          laneTail(activityId, deviceId),
          settle({ activityId, deviceId, accountId, settlements, at: this.clock.now() }),
          { commandId, correlationId, accountId, actor: { process: 'push.lane' } },
        );
        if (position > this.recorded) this.recorded = position;
        // The log had it before: what the rows do not know yet will come to them.
        if (events.length === 0) await this.change(work, (now) => released(now, this.clock.ms()), 'true');
        return;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (!isOurs() || Date.now() > until) throw error;
        this.logger.warn({ err: error, activity: activityId }, 'A live activity was not reported yet');
        await sleep(500);
      }
    }
  }

  /** Changes the lane when it is still as this process took it, and lets go of it. */
  private async change(
    { activityId, deviceId, owner, send }: Work,
    change: (lane: Lane) => Lane,
    doubtful = 'l.doubtful',
  ): Promise<void> {
    await this.database.transaction(async (sql) => {
      const [row] = await sql.query<LaneRow>(
        `SELECT activity_id, device_id, account_id, correlation_id, lane FROM lanes
         WHERE activity_id = $1 AND device_id = $2 AND owner = $3 FOR UPDATE`,
        [activityId, deviceId, owner],
      );
      if (!row) return;
      const isMine = send
        ? row.lane.isUnderWay && row.lane.timestamp === send.timestamp
        : !row.lane.isUnderWay;
      if (isMine) await write(sql, [{ row, lane: change(row.lane), owner: null }], doubtful);
    });
  }
}

interface Change {
  readonly row: LaneRow;
  readonly lane: Lane;
  readonly owner: number | null;
}

async function write(
  sql: Sql,
  changes: readonly Change[],
  doubtful = 'l.doubtful',
  ownedSeconds = 0,
): Promise<void> {
  if (changes.length === 0) return;
  await sql.query(
    `UPDATE lanes l SET lane = n.lane, due_at = n.due_at, held = n.held, doubtful = ${doubtful}, owner = n.owner,
       owned_until = CASE WHEN n.owner IS NOT NULL THEN now() + make_interval(secs => $7) END
     FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::timestamptz[], $5::text[], $6::integer[])
       AS n (activity_id, device_id, lane, due_at, held, owner)
     WHERE l.activity_id = n.activity_id AND l.device_id = n.device_id`,
    [
      changes.map(({ row }) => row.activity_id),
      changes.map(({ row }) => row.device_id),
      changes.map(({ lane }) => JSON.stringify(lane)),
      changes.map(({ lane }) => dueInstant(lane)),
      changes.map(({ lane }) => lane.held),
      changes.map(({ owner }) => owner),
      ownedSeconds,
    ],
  );
}

/** Lets one start a device go at a time, with a pause after it, whoever makes it. */
class Turns {
  private readonly used = new Set<string>();

  private constructor(
    private readonly last: Map<string, number>,
    private readonly nowMs: number,
  ) {}

  static async of(sql: Sql, rows: readonly LaneRow[], nowMs: number): Promise<Turns> {
    const deviceIds = rows
      .filter(({ lane }) => lane.waiting[0]?.kind === 'start')
      .map((row) => row.device_id);
    if (deviceIds.length === 0) return new Turns(new Map(), nowMs);
    const found = await sql.query<{ device_id: string; last_start_at: Date | null }>(
      `SELECT device_id, CASE WHEN isfinite(last_start_at) THEN last_start_at END AS last_start_at
       FROM lane_devices WHERE device_id = ANY($1) ORDER BY device_id FOR UPDATE`,
      [[...new Set(deviceIds)]],
    );
    return new Turns(new Map(found.map((row) => [row.device_id, row.last_start_at?.getTime() ?? 0])), nowMs);
  }

  /** The lane, put off when it is not its turn. */
  waiting({ device_id: deviceId, lane }: LaneRow): Lane {
    if (lane.waiting[0]?.kind !== 'start') return lane;
    const freeAt = (this.last.get(deviceId) ?? 0) + startEveryMs;
    return freeAt > this.nowMs && lane.retryAtMs < freeAt ? postponed(lane, freeAt) : lane;
  }

  use(deviceId: string): void {
    this.last.set(deviceId, this.nowMs);
    this.used.add(deviceId);
  }

  async write(sql: Sql): Promise<void> {
    if (this.used.size > 0)
      await sql.query(`UPDATE lane_devices SET last_start_at = $2 WHERE device_id = ANY($1)`, [
        [...this.used],
        instant(this.nowMs),
      ]);
  }
}

function workOf(row: DueRow, { lane, send }: Pick<Work, 'lane' | 'send'>, owner: number): Work {
  return {
    activityId: row.activity_id,
    deviceId: row.device_id,
    accountId: row.account_id,
    correlationId: row.correlation_id,
    owner,
    lane,
    send,
    device: row.device_account_id === null ? undefined : (row as DeviceRow),
  };
}

const outcomeOf = ({ status, late }: Extract<Sent, { to: 'settled' }>): LaneOutcome =>
  status === 'accepted' ? 'accepted' : late ? 'dropped' : 'failed';
