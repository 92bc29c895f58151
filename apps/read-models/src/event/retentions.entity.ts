import type { Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { listedSince } from './event';

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

/** Deletes events that families no longer keep at this time. */
export async function dropForgotten(sql: Sql, now: Instant): Promise<void> {
  await sql.query(
    `DELETE FROM events e USING event_retentions r
     WHERE e.family_id = r.family_id AND e.created_at < $1::timestamptz - make_interval(days => r.days)`,
    [now],
  );
}

/** Deletes events that are no longer listed at this time. */
export async function dropOld(sql: Sql, now: Instant): Promise<void> {
  await sql.query(`DELETE FROM events WHERE created_at < $1`, [listedSince(now)]);
  await dropForgotten(sql, now);
}

/** SQL condition for events that a family no longer keeps; `now` is the number of the parameter with the time. */
export const isForgotten = (now: number): string =>
  `EXISTS (SELECT FROM event_retentions r WHERE r.family_id = events.family_id
     AND events.created_at < $${now}::timestamptz - make_interval(days => r.days))`;
