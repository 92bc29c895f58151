import type { ActivityEnded, ActivityStarted, ActivityUpdated, Platform, Streams } from '@carillon/contracts';
import { inBatch, type EventsOf, Log, Projection, type Sql, type On } from '@carillon/event-store';
import { instant, millis, type Recorded } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { hashSecret, KeyRing } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { Contents } from './contents.service';
import { begun, ended, expired, updated } from './activity';
import type { Lane } from './lane';
import { heard } from './outcome';
import { startEveryMs } from './pace';
import { gone, isRestartable, registered, restarted } from './phone';
import { resumed } from './rest';
import { LaneWorker } from './lane.worker';
import { settlementOf } from './record';
import { dueInstant, noAddress, updateTokenPlace } from './row';

interface Known {
  readonly activityId: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly correlationId: string;
  lane: Lane;
  doubtful: boolean;
  isTouched: boolean;
}

interface KnownDevice {
  readonly platform: Platform;
  readonly liveActivities: boolean;
  nextTurnMs: number;
  isTouched: boolean;
}

interface LaneRow {
  activity_id: string;
  device_id: string;
  account_id: string;
  correlation_id: string;
  lane: Lane;
  doubtful: boolean;
}

interface DeviceRow {
  device_id: string;
  platform: Platform;
  live_activities: boolean;
  next_turn_at: Date | null;
}

/** What is older when it is met, and was in the log before, may have been sent before these rows were lost. */
const freshMs = 2_000;
const oldMs = 30_000;
/** An activity that was over so long ago when it is met needs no lane any more. */
const forgottenMs = 2 * 60 * 60_000;

type Followed = Streams<'activity' | 'lane' | 'device'>;
type FollowedEvent = EventsOf<Followed>;

/**
 * Keeps the lanes: what their phones have to be told, and what the log says became of it. Workers only take and put off;
 * what is settled comes back through the log, in its order.
 */
@Injectable()
export class LanesProcess extends Projection<Followed> {
  readonly name = 'lanes';
  override readonly immediate = true;
  readonly tables = [];
  readonly on: On<Followed> = {
    activity: {
      ActivityStarted: inBatch,
      ActivityUpdated: inBatch,
      ActivityEnded: inBatch,
      ActivityExpired: inBatch,
    },
    lane: {
      ActivityTokenRegistered: inBatch,
      ActivityPushed: inBatch,
    },
    device: {
      DeviceRegistered: inBatch,
      DeviceTokensChanged: inBatch,
      DeviceDeactivated: inBatch,
    },
  };
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly followed = { head: 0n, last: undefined as bigint | undefined };

  constructor(
    @Inject(LaneWorker) private readonly worker: LaneWorker,
    @Inject(Contents) private readonly contents: Contents,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  override async apply(sql: Sql, followed: readonly Recorded<FollowedEvent>[]): Promise<void> {
    if (sql.rebuilding) throw new Error('Lanes are work under way: they cannot be made anew');
    await this.noteHead(followed);
    const board = await Board.load(sql, followed);
    for (const recorded of followed) {
      this.contents.learn(recorded);
      this.follow(board, recorded);
    }
    await board.write(sql);
    sql.afterCommit?.(() => {
      this.worker.kick();
      if (board.isDoubtful) this.worker.doubt();
    });
  }

  /** Up to where the log was when this began to follow it, from wherever that was. */
  private async noteHead(events: readonly Recorded[]): Promise<void> {
    const { last } = this.followed;
    if (last === undefined || events[0]!.position <= last) this.followed.head = await this.log.store.head();
    this.followed.last = events.at(-1)!.position;
  }

  private isOld({ at, position }: Recorded): boolean {
    const age = Date.now() - millis(at);
    return age > oldMs || (age > freshMs && position <= this.followed.head);
  }

  private follow(board: Board, recorded: Recorded<FollowedEvent>): void {
    const { event } = recorded;
    switch (event.type) {
      case 'ActivityStarted':
        return this.begin(board, recorded, event);
      case 'ActivityUpdated':
        return board.all(event.activityId, (lane) => updated(lane, updateOf(event)));
      case 'ActivityEnded':
        return board.all(event.activityId, (lane) => ended(lane, endOf(event)));
      case 'ActivityExpired': {
        const { sequence, expiredAt } = event;
        return board.all(event.activityId, (lane) => expired(lane, { sequence, atMs: millis(expiredAt) }));
      }
      case 'ActivityTokenRegistered': {
        const { activityId, deviceId, token, environment, registeredAt } = event;
        // Its key is gone, and the account with it.
        if (token === null) return;
        const place = updateTokenPlace(activityId, deviceId);
        const address = {
          hash: hashSecret(this.pepper, token),
          sealed: this.keyRing.seal(token, place),
          environment,
        };
        return board.one(activityId, deviceId, (lane) => registered(lane, address, millis(registeredAt)));
      }
      case 'ActivityPushed': {
        const { activityId, deviceId, pushedAt } = event;
        const settlement = settlementOf(event);
        return board.one(activityId, deviceId, (lane) => heard(lane, settlement, millis(pushedAt)));
      }
      case 'DeviceRegistered': {
        const { deviceId, platform, liveActivitiesCapable, registeredAt } = event;
        board.device(deviceId, platform, liveActivitiesCapable);
        const atMs = millis(registeredAt);
        // iOS has ended them by itself.
        if (platform === 'ios' && !liveActivitiesCapable)
          return board.of(deviceId, (lane) =>
            gone(lane, { code: 'activities_off', withFarewell: false, atMs }),
          );
        return board.of(deviceId, (lane) => {
          if (!isRestartable(lane, atMs)) return unheld(lane);
          return restarted(lane, { notBeforeMs: this.turnOf(board, deviceId, recorded, atMs), atMs });
        });
      }
      case 'DeviceTokensChanged':
        return board.of(event.deviceId, unheld);
      case 'DeviceDeactivated': {
        const { deviceId, reason, deactivatedAt } = event;
        const isTakenAway = reason === 'removed' || reason === 'moved';
        return board.of(deviceId, (lane) =>
          // An iPhone's activities have tokens of their own, which say themselves when they die.
          isTakenAway || lane.platform === 'android'
            ? gone(lane, {
                code: `device_${reason}`,
                withFarewell: isTakenAway && !this.isOld(recorded),
                atMs: millis(deactivatedAt),
              })
            : lane,
        );
      }
    }
  }

  private begin(board: Board, recorded: Recorded, event: ActivityStarted): void {
    const { activityId, accountId, sequence, startedAt } = event;
    const expiresAtMs = millis(event.expiresAt);
    if (expiresAtMs < this.clock.ms() - forgottenMs) return;
    const isRemade = this.isOld(recorded);
    for (const deviceId of event.deviceIds) {
      const platform = board.platformOf(deviceId);
      if (!platform || board.has(activityId, deviceId)) continue;
      const notBeforeMs = this.turnOf(board, deviceId, recorded, millis(startedAt));
      board.add({
        activityId,
        deviceId,
        accountId,
        correlationId: recorded.metadata.correlationId,
        lane: begun({ platform, sequence, expiresAtMs, notBeforeMs, isRemade }),
        doubtful: isRemade,
        isTouched: true,
      });
    }
  }

  /** When the device may start one more. What is told again does not ask for a turn again. */
  private turnOf(board: Board, deviceId: string, recorded: Recorded, atMs: number): number {
    return this.isOld(recorded) ? atMs : board.turn(deviceId, this.clock.ms());
  }
}

const unheld = (lane: Lane): Lane => (lane.held === noAddress ? resumed(lane) : lane);

const updateOf = ({ sequence, apnsPriority, priorityReason, updatedAt }: ActivityUpdated) => ({
  sequence,
  priority: apnsPriority,
  isRoutine: priorityReason === 'routine' || priorityReason === 'budget_exhausted',
  atMs: millis(updatedAt),
});

const endOf = ({ sequence, endedAt, dismissAfterSeconds }: ActivityEnded) => ({
  sequence,
  dismissAtMs: millis(endedAt) + dismissAfterSeconds * 1_000,
  atMs: millis(endedAt),
});

/** The rows that a batch of events touches. */
class Board {
  private constructor(
    private readonly lanes: Map<string, Known>,
    private readonly devices: Map<string, KnownDevice>,
  ) {}

  static async load(sql: Sql, events: readonly Recorded<FollowedEvent>[]): Promise<Board> {
    const activityIds = new Set<string>();
    const deviceIds = new Set<string>();
    const mentioned = new Set<string>();
    for (const { event } of events) {
      if ('activityId' in event) activityIds.add(event.activityId);
      else deviceIds.add(event.deviceId);
      if (event.type === 'ActivityStarted') for (const id of event.deviceIds) mentioned.add(id);
    }
    // In one order, whoever locks them.
    const rows = await sql.query<LaneRow>(
      `SELECT activity_id, device_id, account_id, correlation_id, lane, doubtful FROM lanes
       WHERE activity_id = ANY($1) OR device_id = ANY($2) ORDER BY activity_id, device_id FOR UPDATE`,
      [[...activityIds], [...deviceIds]],
    );
    const ids = [...new Set([...mentioned, ...deviceIds])];
    const devices =
      ids.length === 0
        ? []
        : await sql.query<DeviceRow>(
            `SELECT device_id, platform, live_activities,
               CASE WHEN isfinite(next_turn_at) THEN next_turn_at END AS next_turn_at
             FROM lane_devices WHERE device_id = ANY($1) ORDER BY device_id FOR UPDATE`,
            [ids],
          );
    return new Board(
      new Map(
        rows.map((row) => [
          keyOf(row.activity_id, row.device_id),
          {
            activityId: row.activity_id,
            deviceId: row.device_id,
            accountId: row.account_id,
            correlationId: row.correlation_id,
            lane: row.lane,
            doubtful: row.doubtful,
            isTouched: false,
          },
        ]),
      ),
      new Map(
        devices.map((row) => [
          row.device_id,
          {
            platform: row.platform,
            liveActivities: row.live_activities,
            nextTurnMs: row.next_turn_at?.getTime() ?? 0,
            isTouched: false,
          },
        ]),
      ),
    );
  }

  /** Rows may have been worked on before, by whoever knew more. */
  get isDoubtful(): boolean {
    return [...this.lanes.values()].some(({ doubtful }) => doubtful);
  }

  has(activityId: string, deviceId: string): boolean {
    return this.lanes.has(keyOf(activityId, deviceId));
  }

  add(known: Known): void {
    this.lanes.set(keyOf(known.activityId, known.deviceId), known);
  }

  all(activityId: string, change: (lane: Lane) => Lane): void {
    for (const known of this.lanes.values()) if (known.activityId === activityId) apply(known, change);
  }

  of(deviceId: string, change: (lane: Lane) => Lane): void {
    for (const known of this.lanes.values()) if (known.deviceId === deviceId) apply(known, change);
  }

  one(activityId: string, deviceId: string, change: (lane: Lane) => Lane): void {
    const known = this.lanes.get(keyOf(activityId, deviceId));
    if (known) apply(known, change);
  }

  device(deviceId: string, platform: Platform, liveActivities: boolean): void {
    const nextTurnMs = this.devices.get(deviceId)?.nextTurnMs ?? 0;
    this.devices.set(deviceId, { platform, liveActivities, nextTurnMs, isTouched: true });
  }

  platformOf(deviceId: string): Platform | undefined {
    return this.devices.get(deviceId)?.platform;
  }

  turn(deviceId: string, nowMs: number): number {
    const device = this.devices.get(deviceId);
    if (!device) return nowMs;
    const turn = Math.max(nowMs, device.nextTurnMs);
    device.nextTurnMs = turn + startEveryMs;
    device.isTouched = true;
    return turn;
  }

  async write(sql: Sql): Promise<void> {
    const lanes = [...this.lanes.values()].filter(({ isTouched }) => isTouched);
    if (lanes.length > 0) await writeLanes(sql, lanes);
    const devices = [...this.devices].filter(([, { isTouched }]) => isTouched);
    if (devices.length === 0) return;
    await sql.query(
      `INSERT INTO lane_devices AS d (device_id, platform, live_activities, next_turn_at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::boolean[], $4::timestamptz[])
       ON CONFLICT (device_id) DO UPDATE SET platform = excluded.platform,
         live_activities = excluded.live_activities, next_turn_at = excluded.next_turn_at`,
      [
        devices.map(([id]) => id),
        devices.map(([, { platform }]) => platform),
        devices.map(([, { liveActivities }]) => liveActivities),
        devices.map(([, { nextTurnMs }]) => instant(nextTurnMs)),
      ],
    );
  }
}

/** Who has a lane in hand keeps it while something is under way. */
async function writeLanes(sql: Sql, lanes: readonly Known[]): Promise<void> {
  await sql.query(
    `INSERT INTO lanes AS l (activity_id, device_id, account_id, correlation_id, lane, expires_at, due_at, held,
       doubtful)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::timestamptz[],
       $7::timestamptz[], $8::text[], $9::boolean[])
     ON CONFLICT (activity_id, device_id) DO UPDATE SET lane = excluded.lane, due_at = excluded.due_at,
       held = excluded.held,
       owner = CASE WHEN (excluded.lane ->> 'isUnderWay')::boolean THEN l.owner END,
       owned_until = CASE WHEN (excluded.lane ->> 'isUnderWay')::boolean THEN l.owned_until END`,
    [
      lanes.map(({ activityId }) => activityId),
      lanes.map(({ deviceId }) => deviceId),
      lanes.map(({ accountId }) => accountId),
      lanes.map(({ correlationId }) => correlationId),
      lanes.map(({ lane }) => JSON.stringify(lane)),
      lanes.map(({ lane }) => instant(lane.expiresAtMs)),
      lanes.map(({ lane }) => dueInstant(lane)),
      lanes.map(({ lane }) => lane.held),
      lanes.map(({ doubtful }) => doubtful),
    ],
  );
}

function apply(known: Known, change: (lane: Lane) => Lane): void {
  const changed = change(known.lane);
  if (changed === known.lane) return;
  known.lane = changed;
  known.isTouched = true;
}

const keyOf = (activityId: string, deviceId: string): string => `${activityId} ${deviceId}`;
