import type {
  PasswordChanged,
  SessionEnded,
  SessionRefreshed,
  SessionStarted,
  SessionUsed,
} from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Instant, Recorded } from '@carillon/eventing';

export type Ended = Pick<SessionEnded, 'sessionId' | 'endedAt'>;

/**
 * The sessions with their ends. A change of the password ends all sessions that began before it, except the session
 * that made the change: one row of the account says so, however many they are.
 */
export const sessionsWithEnds = `(
  SELECT s.*, least(s.own_end, e.ended_at) AS ended_at FROM sessions s LEFT JOIN ended_sessions e
    ON e.account_id = s.account_id AND s.began < e.before AND s.session_id <> e.kept_session_id)`;

export async function startSessions(
  sql: Sql,
  started: readonly (SessionStarted & Pick<Recorded, 'position'>)[],
): Promise<void> {
  if (started.length === 0) return;
  const given = columns(
    {
      session_id: 'text',
      account_id: 'text',
      kind: 'text',
      access_hash: 'text',
      access_expires_at: 'timestamptz',
      expires_at: 'timestamptz',
      network_hash: 'text',
      started_at: 'timestamptz',
      last_used_at: 'timestamptz',
      began: 'numeric',
    },
    started,
    (session) => ({
      session_id: session.sessionId,
      account_id: session.accountId,
      kind: session.kind,
      access_hash: session.accessHash,
      access_expires_at: session.accessExpiresAt,
      expires_at: session.expiresAt,
      network_hash: session.networkHash ?? null,
      started_at: session.startedAt,
      last_used_at: session.startedAt,
      began: String(session.position),
    }),
  );
  await sql.query(`INSERT INTO sessions (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** Of several refreshes of one session, the last one counts. */
export async function refreshSessions(sql: Sql, refreshed: readonly SessionRefreshed[]): Promise<void> {
  if (refreshed.length === 0) return;
  const newest = new Map(refreshed.map((event) => [event.sessionId, event]));
  const given = columns(
    {
      id: 'text',
      hash: 'text',
      access_expires_at: 'timestamptz',
      expires_at: 'timestamptz',
      at: 'timestamptz',
    },
    newest.values(),
    (event) => ({
      id: event.sessionId,
      hash: event.accessHash,
      access_expires_at: event.accessExpiresAt,
      expires_at: event.expiresAt,
      at: event.refreshedAt,
    }),
  );
  await sql.query(
    `UPDATE sessions s SET access_hash = n.hash, access_expires_at = n.access_expires_at,
       expires_at = n.expires_at, last_used_at = greatest(s.last_used_at, n.at)
     FROM ${given.rows} WHERE s.session_id = n.id`,
    given.values,
  );
}

export async function useSessions(sql: Sql, used: readonly SessionUsed[]): Promise<void> {
  if (used.length === 0) return;
  const given = columns({ id: 'text', at: 'timestamptz' }, used, ({ sessionId, usedAt }) => ({
    id: sessionId,
    at: usedAt,
  }));
  await sql.query(
    `UPDATE sessions s SET last_used_at = greatest(s.last_used_at, n.at)
     FROM ${given.rows} WHERE s.session_id = n.id`,
    given.values,
  );
}

export async function endSessions(sql: Sql, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const given = columns({ id: 'text', at: 'timestamptz' }, ended, ({ sessionId, endedAt }) => ({
    id: sessionId,
    at: endedAt,
  }));
  await sql.query(
    `UPDATE sessions s SET own_end = n.at FROM ${given.rows} WHERE s.session_id = n.id AND s.own_end IS NULL`,
    given.values,
  );
}

/** Ends all sessions that began before a password was changed or removed, except the session that did it. */
export async function endOtherSessions(
  sql: Sql,
  {
    accountId,
    keptSessionId,
    endedAt,
    position,
  }: Pick<PasswordChanged, 'accountId' | 'keptSessionId'> &
    Pick<Recorded, 'position'> & { readonly endedAt: Instant },
): Promise<void> {
  // The row of a former change is replaced: the session that is kept now may be one that it had ended.
  await sql.query(
    `UPDATE sessions s SET own_end = e.ended_at FROM ended_sessions e
     WHERE s.session_id = $2 AND s.own_end IS NULL
       AND e.account_id = $1 AND s.began < e.before AND s.session_id <> e.kept_session_id`,
    [accountId, keptSessionId],
  );
  await sql.query(
    `INSERT INTO ended_sessions (account_id, kept_session_id, ended_at, before) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id) DO UPDATE SET kept_session_id = excluded.kept_session_id,
       ended_at = excluded.ended_at, before = excluded.before`,
    [accountId, keptSessionId, endedAt, String(position)],
  );
}
