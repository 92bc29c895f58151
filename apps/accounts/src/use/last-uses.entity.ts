import { columns, type Database, type Sql } from '@carillon/event-store';
import { compareTexts, type Instant } from '@carillon/eventing';

/**
 * Keeps the newest use of each token and session to the minute. No projection: the log has one use a day, and a rebuild
 * leaves these rows as they are. Ids in order, so that two replicas cannot deadlock (ADR 56).
 */
export async function keepLastUses(database: Database, uses: ReadonlyMap<string, Instant>): Promise<void> {
  const sorted = [...uses].sort(([one], [other]) => compareTexts(one, other));
  const given = columns({ id: 'text', used_at: 'timestamptz' }, sorted, ([id, used_at]) => ({ id, used_at }));
  await database.query(
    `INSERT INTO last_uses AS l (${given.names}) SELECT * FROM ${given.rows}
     ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at WHERE l.used_at < excluded.used_at`,
    given.values,
  );
}

/** Deletes at most `limit` last uses from before an instant of sessions that have no row; returns how many. */
export async function forgetLastUses(sql: Sql, before: Instant, limit: number): Promise<number> {
  const gone = await sql.query(
    `DELETE FROM last_uses WHERE id IN (
       SELECT id FROM last_uses WHERE id LIKE 'ses\\_%' AND used_at < $1
         AND NOT EXISTS (SELECT FROM sessions WHERE session_id = id) LIMIT $2)
     RETURNING id`,
    [before, limit],
  );
  return gone.length;
}
