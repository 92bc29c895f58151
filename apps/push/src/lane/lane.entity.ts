import { columns, type Sql } from '@carillon/event-store';
import type { Lane } from './lane';
import { dueInstant, laneColumns, type LaneRow } from './row';

/** The new state of a lane's row. */
export interface LaneChange {
  readonly row: LaneRow;
  readonly lane: Lane;
  readonly owner: number | null;
}

/** Saves lanes. `doubtful` is the SQL for whether other processes may have worked on them. */
export async function writeLanes(
  sql: Sql,
  changes: readonly LaneChange[],
  doubtful: 'l.doubtful' | 'true' = 'l.doubtful',
  ownedSeconds = 0,
): Promise<void> {
  if (changes.length === 0) return;
  const given = columns(
    {
      activity_id: 'text',
      device_id: 'text',
      lane: 'jsonb',
      due_at: 'timestamptz',
      held: 'text',
      owner: 'integer',
    },
    changes,
    ({ row, lane, owner }) => ({
      activity_id: row.activity_id,
      device_id: row.device_id,
      lane: JSON.stringify(lane),
      due_at: dueInstant(lane),
      held: lane.held,
      owner,
    }),
    { from: 2 },
  );
  await sql.query(
    `UPDATE lanes l SET lane = n.lane, due_at = n.due_at, held = n.held, doubtful = ${doubtful}, owner = n.owner,
       owned_until = CASE WHEN n.owner IS NOT NULL THEN now() + make_interval(secs => $1) END
     FROM ${given.rows} WHERE l.activity_id = n.activity_id AND l.device_id = n.device_id`,
    [ownedSeconds, ...given.values],
  );
}

/** Changes lanes that no process has leased. */
export async function changeLanes(
  sql: Sql,
  which: string,
  given: readonly unknown[],
  change: (lane: Lane) => Lane,
): Promise<void> {
  const rows = await sql.query<LaneRow>(
    `SELECT ${laneColumns} FROM lanes WHERE ${which} AND owner IS NULL ORDER BY activity_id, device_id FOR UPDATE`,
    given,
  );
  await writeLanes(
    sql,
    rows.map((row) => ({ row, lane: change(row.lane), owner: null })),
  );
}
