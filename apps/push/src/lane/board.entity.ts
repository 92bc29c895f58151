import type { Platform, Streams } from '@carillon/contracts';
import { columns, type EventsOf, type Sql } from '@carillon/event-store';
import { instant, type Recorded } from '@carillon/eventing';
import type { Lane } from './lane';
import { startEveryMs } from './pace';
import { dueInstant } from './row';

/** The events that change lanes. */
type BoardEvent = EventsOf<Streams<'activity' | 'lane' | 'device'>>;

interface PushedActivityRow {
  readonly activityId: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly recipients: readonly string[];
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

interface KnownRow {
  activity_id: string;
  device_id: string;
  account_id: string;
  recipients: string[] | null;
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

/** The rows that a batch of events changes. */
export class Board {
  private constructor(
    private readonly lanes: Map<string, PushedActivityRow>,
    private readonly devices: Map<string, KnownDevice>,
  ) {}

  static async load(sql: Sql, events: readonly Recorded<BoardEvent>[]): Promise<Board> {
    const activityIds = new Set<string>();
    const deviceIds = new Set<string>();
    const mentioned = new Set<string>();
    for (const { event } of events) {
      if ('activityId' in event) activityIds.add(event.activityId);
      else deviceIds.add(event.deviceId);
      if (event.type === 'ActivityStarted') for (const id of event.deviceIds) mentioned.add(id);
    }
    // All transactions that change several lanes lock them in the same order, which prevents deadlocks.
    const rows = await sql.query<KnownRow>(
      `SELECT activity_id, device_id, account_id, recipients, correlation_id, lane, doubtful FROM lanes
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
            recipients: row.recipients ?? [],
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

  /** Whether another process, which had read more of the log, may have worked on some of these lanes. */
  get isDoubtful(): boolean {
    return [...this.lanes.values()].some(({ doubtful }) => doubtful);
  }

  has(activityId: string, deviceId: string): boolean {
    return this.lanes.has(keyOf(activityId, deviceId));
  }

  add(known: PushedActivityRow): void {
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
    if (lanes.length > 0) await writeKnown(sql, lanes);
    const devices = [...this.devices].filter(([, { isTouched }]) => isTouched);
    if (devices.length === 0) return;
    const given = columns(
      { device_id: 'text', platform: 'text', live_activities: 'boolean', next_turn_at: 'timestamptz' },
      devices,
      ([device_id, { platform, liveActivities, nextTurnMs }]) => ({
        device_id,
        platform,
        live_activities: liveActivities,
        next_turn_at: instant(nextTurnMs),
      }),
    );
    await sql.query(
      `INSERT INTO lane_devices (${given.names}) SELECT * FROM ${given.rows}
       ON CONFLICT (device_id) DO UPDATE SET platform = excluded.platform,
         live_activities = excluded.live_activities, next_turn_at = excluded.next_turn_at`,
      given.values,
    );
  }
}

/** Saves lanes; a lease on a lane is kept while an operation is under way. */
async function writeKnown(sql: Sql, lanes: readonly PushedActivityRow[]): Promise<void> {
  const given = columns(
    {
      activity_id: 'text',
      device_id: 'text',
      account_id: 'text',
      recipients: 'jsonb',
      correlation_id: 'text',
      lane: 'jsonb',
      expires_at: 'timestamptz',
      due_at: 'timestamptz',
      held: 'text',
      doubtful: 'boolean',
    },
    lanes,
    ({ activityId, deviceId, accountId, recipients, correlationId, lane, doubtful }) => ({
      activity_id: activityId,
      device_id: deviceId,
      account_id: accountId,
      recipients: recipients.length > 0 ? JSON.stringify(recipients) : null,
      correlation_id: correlationId,
      lane: JSON.stringify(lane),
      expires_at: instant(lane.expiresAtMs),
      due_at: dueInstant(lane),
      held: lane.held,
      doubtful,
    }),
  );
  await sql.query(
    `INSERT INTO lanes AS l (${given.names}) SELECT * FROM ${given.rows}
     ON CONFLICT (activity_id, device_id) DO UPDATE SET lane = excluded.lane, due_at = excluded.due_at,
       held = excluded.held,
       owner = CASE WHEN (excluded.lane ->> 'isUnderWay')::boolean THEN l.owner END,
       owned_until = CASE WHEN (excluded.lane ->> 'isUnderWay')::boolean THEN l.owned_until END`,
    given.values,
  );
}

function apply(known: PushedActivityRow, change: (lane: Lane) => Lane): void {
  const changed = change(known.lane);
  if (changed === known.lane) return;
  known.lane = changed;
  known.isTouched = true;
}

const keyOf = (activityId: string, deviceId: string): string => `${activityId} ${deviceId}`;
