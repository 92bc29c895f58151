import type {
  PasswordChanged,
  SessionEnded,
  SessionRefreshed,
  SessionStarted,
  SessionUsed,
} from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';

export type Ended = Pick<SessionEnded, 'sessionId' | 'endedAt'>;

export async function startSessions(sql: Sql, started: readonly SessionStarted[]): Promise<void> {
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
    `UPDATE sessions s SET ended_at = n.at FROM ${given.rows} WHERE s.session_id = n.id AND s.ended_at IS NULL`,
    given.values,
  );
}

/** Ends all sessions that started before a password was changed or removed, except the session that did it. */
export async function endOtherSessions(
  sql: Sql,
  {
    accountId,
    keptSessionId,
    endedAt,
  }: Pick<PasswordChanged, 'accountId' | 'keptSessionId'> & { readonly endedAt: Instant },
): Promise<void> {
  await sql.query(
    `UPDATE sessions SET ended_at = $3 WHERE account_id = $1 AND session_id <> $2 AND ended_at IS NULL`,
    [accountId, keptSessionId, endedAt],
  );
}
