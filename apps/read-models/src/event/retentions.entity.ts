import type { Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';

/** Sets how many days the family keeps events; null for the default. */
export async function setRetention(sql: Sql, familyId: string, days: number | null): Promise<void> {
  if (days === null) await sql.query(`DELETE FROM event_retentions WHERE family_id = $1`, [familyId]);
  else
    await sql.query(
      `INSERT INTO event_retentions (family_id, days) VALUES ($1, $2)
       ON CONFLICT (family_id) DO UPDATE SET days = excluded.days`,
      [familyId, days],
    );
}

/**
 * Deletes events that families no longer keep at this time, `limit` at most, and returns how many. Never waits for a
 * lock, so it cannot be part of a deadlock.
 */
export async function deleteForgotten(sql: Sql, now: Instant, limit: number): Promise<number> {
  const deleted = await sql.query(
    `WITH due AS (
       SELECT e.event_id, e.account_id, e.created_at
       FROM event_retentions r JOIN events e ON e.family_id = r.family_id
         AND e.created_at < $1::timestamptz - make_interval(days => r.days)
       LIMIT $2 FOR UPDATE OF e SKIP LOCKED)
     DELETE FROM events USING due
     WHERE events.event_id = due.event_id AND events.account_id = due.account_id
       AND events.created_at = due.created_at RETURNING 1`,
    [now, limit],
  );
  return deleted.length;
}

/** SQL condition for events that a family no longer keeps; `now` is the number of the parameter with the time. */
export const isForgotten = (now: number): string =>
  `EXISTS (SELECT FROM event_retentions r WHERE r.family_id = events.family_id
     AND events.created_at < $${now}::timestamptz - make_interval(days => r.days))`;
