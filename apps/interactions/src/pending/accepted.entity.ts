import { columns, type Sql } from '@carillon/event-store';
import { createdBetween } from '@carillon/signing';

/** Saves on how many phones the providers have accepted the pushes of prompts. */
export async function countAccepted(sql: Sql, accepted: ReadonlyMap<string, number>): Promise<void> {
  const given = columns(
    { id: 'text', accepted: 'integer' },
    accepted,
    ([id, count]) => ({ id, accepted: count }),
    { from: 3 },
  );
  const { from, to } = createdBetween(accepted.keys());
  await sql.query(
    `UPDATE prompts p SET accepted = n.accepted FROM ${given.rows}
     WHERE p.interaction_id = n.id AND p.created_at BETWEEN $1 AND $2`,
    [from, to, ...given.values],
  );
}

/** Adds the phones on which this live activity has started for a prompt, which is asked moments after its admission. */
export async function addAccepted(sql: Sql, activityId: string, deviceIds: readonly string[]): Promise<void> {
  const { from, to } = createdBetween([activityId]);
  await sql.query(
    `UPDATE prompts p SET accepted_by = n.by, accepted = cardinality(n.by)
     FROM (SELECT interaction_id AS id, ARRAY(SELECT DISTINCT unnest(accepted_by || $2::text[]) ORDER BY 1) AS by
       FROM prompts WHERE live_activity_id = $1 AND created_at BETWEEN $3 AND $4 LIMIT 1) n
     WHERE p.interaction_id = n.id AND p.created_at BETWEEN $3 AND $4`,
    [activityId, deviceIds, from, to],
  );
}
