import type { Sql } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import type { Lane } from './lane';
import type { LaneRow } from './row';
import { startEveryMs } from './pace';
import { postponed } from './rest';

/** Allows one start per device at a time, with a pause after it, across all processes. */
export class Turns {
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

  /** The lane, postponed when another lane of its device has the turn to start. */
  waiting({ device_id: deviceId, lane }: LaneRow): Lane {
    if (lane.waiting[0]?.kind !== 'start') return lane;
    const freeAt = (this.last.get(deviceId) ?? 0) + startEveryMs;
    return freeAt > this.nowMs && lane.retryAtMs < freeAt ? postponed(lane, freeAt) : lane;
  }

  /** Records that the device starts an activity now. */
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
