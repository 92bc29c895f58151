import type { SessionRefreshed, SessionStarted } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { type Instant, plus } from '@carillon/eventing';

/**
 * How long the row of a session is kept after its end, and that of a refresh token after its creation: no refresh token
 * is valid for longer, and the network of a session counts as known for this time.
 */
export const keptMs = 90 * 24 * 60 * 60 * 1000;

export const madeAt = (event: SessionStarted | SessionRefreshed): Instant =>
  event.type === 'SessionStarted' ? event.startedAt : event.refreshedAt;

/** Keeps the session of each refresh token, also after its use: a token that is presented again was stolen. */
export async function keepRefreshTokens(
  sql: Sql,
  events: readonly (SessionStarted | SessionRefreshed)[],
): Promise<void> {
  const made = events.filter(({ refreshHash }) => refreshHash !== null);
  if (made.length === 0) return;
  const given = columns(
    { refresh_hash: 'text', session_id: 'text', made_at: 'timestamptz' },
    made,
    (event) => ({ refresh_hash: event.refreshHash, session_id: event.sessionId, made_at: madeAt(event) }),
  );
  await sql.query(`INSERT INTO session_refreshes (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** The maximum of old rows of a table that one transaction deletes: more than it adds. */
const atOnce = 5_000;

/**
 * Goes by the time of events, so that a rebuild makes the same rows. The events that add rows also delete old ones. A
 * session that is over had no refresh token since.
 */
export async function forgetSessions(sql: Sql, at: Instant): Promise<void> {
  await sql.query(
    `WITH sessions_gone AS (
       DELETE FROM sessions WHERE session_id IN (
         SELECT session_id FROM sessions WHERE coalesce(own_end, expires_at) < $1
         ORDER BY coalesce(own_end, expires_at) LIMIT $2))
     DELETE FROM session_refreshes WHERE refresh_hash IN (
       SELECT refresh_hash FROM session_refreshes WHERE made_at < $1 ORDER BY made_at LIMIT $2)`,
    [plus(at, -keptMs), atOnce],
  );
}
