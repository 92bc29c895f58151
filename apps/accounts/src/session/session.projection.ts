import type {
  DeviceDeactivated,
  DeviceRegistered,
  SessionEnded,
  SessionEvent,
  SessionRefreshed,
  SessionStarted,
  SessionUsed,
  Streams,
} from '@carillon/contracts';
import { ignore, inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import { type Instant, plus, type Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';
import { cookieIdleMs } from './session';

/**
 * How long the row of a session outlives it, and that of a refresh token its making: no refresh token is good for
 * longer, and the place of a session counts as known for so long.
 */
const keptMs = 90 * 24 * 60 * 60 * 1000;

const madeAt = (event: SessionStarted | SessionRefreshed): Instant =>
  event.type === 'SessionStarted' ? event.startedAt : event.refreshedAt;

/** An app's session ends with its device, or with the next session there: what says so of the device says it of both. */
const endedAt = (event: DeviceRegistered | DeviceDeactivated): Instant =>
  event.type === 'DeviceRegistered' ? event.registeredAt : event.deactivatedAt;

type Followed = Streams<'session' | 'session_use' | 'device'>;
type Applied = SessionEvent | SessionUsed | DeviceRegistered | DeviceDeactivated;

const isOfDevice = (event: Applied): event is DeviceRegistered | DeviceDeactivated =>
  event.type === 'DeviceRegistered' || event.type === 'DeviceDeactivated';

@Injectable()
export class SessionProjection extends Projection<Followed, 'DeviceTokensChanged'> {
  readonly name = 'sessions';
  readonly tables = ['sessions', 'session_refreshes'];
  readonly on: On<Followed, 'DeviceTokensChanged'> = {
    session: {
      SessionStarted: inBatch,
      SessionRefreshed: inBatch,
      SessionEnded: inBatch,
    },
    session_use: {
      SessionUsed: inBatch,
    },
    device: {
      DeviceRegistered: inBatch,
      DeviceTokensChanged: ignore,
      DeviceDeactivated: inBatch,
    },
  };

  override concerns({ event }: Recorded<Applied>): boolean {
    return !isOfDevice(event) || event.endedSessionId !== undefined;
  }

  /** A session starts before all else happens to it; of its refreshes the last one counts; the rest does not meet. */
  override async apply(sql: Sql, events: readonly Recorded<Applied>[]): Promise<void> {
    const started: SessionStarted[] = [];
    const refreshed: SessionRefreshed[] = [];
    const ended: Pick<SessionEnded, 'sessionId' | 'endedAt'>[] = [];
    const used = new Map<string, SessionUsed>();
    for (const { event } of events) {
      switch (event.type) {
        case 'SessionStarted':
          started.push(event);
          break;
        case 'SessionRefreshed':
          refreshed.push(event);
          break;
        case 'SessionEnded':
          ended.push(event);
          break;
        case 'SessionUsed':
          used.set(event.sessionId, event);
          break;
        case 'DeviceRegistered':
        case 'DeviceDeactivated':
          if (event.endedSessionId !== undefined)
            ended.push({ sessionId: event.endedSessionId, endedAt: endedAt(event) });
          break;
        default:
          event satisfies never;
      }
    }
    if (started.length > 0) await this.start(sql, started);
    if (refreshed.length > 0) await this.refresh(sql, refreshed);
    const refreshable = [...started.filter(({ refreshHash }) => refreshHash !== null), ...refreshed];
    if (refreshable.length > 0)
      await sql.query(
        `INSERT INTO session_refreshes (refresh_hash, session_id, made_at)
         SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[])`,
        [
          refreshable.map(({ refreshHash }) => refreshHash),
          refreshable.map(({ sessionId }) => sessionId),
          refreshable.map(madeAt),
        ],
      );
    if (used.size > 0) await this.use(sql, [...used.values()]);
    if (ended.length > 0)
      await sql.query(
        `UPDATE sessions s SET ended_at = n.at FROM unnest($1::text[], $2::timestamptz[]) AS n (id, at)
         WHERE s.session_id = n.id AND s.ended_at IS NULL`,
        [ended.map(({ sessionId }) => sessionId), ended.map(({ endedAt }) => endedAt)],
      );
    const begun = [...started, ...refreshed].map(madeAt).sort();
    if (begun.length > 0) await this.forget(sql, begun.at(-1)!);
  }

  /** By the time of events, so that rows that are made anew are the same. What makes rows also makes room for them. */
  private async forget(sql: Sql, at: Instant): Promise<void> {
    await sql.query(
      `WITH gone AS (DELETE FROM sessions WHERE coalesce(ended_at, expires_at) < $1 RETURNING session_id)
       DELETE FROM session_refreshes WHERE made_at < $1 OR session_id IN (SELECT session_id FROM gone)`,
      [plus(at, -keptMs)],
    );
  }

  private async start(sql: Sql, started: readonly SessionStarted[]): Promise<void> {
    await sql.query(
      `INSERT INTO sessions (session_id, account_id, kind, access_hash, access_expires_at, expires_at, place,
         started_at, last_used_at)
       SELECT id, account_id, kind, hash, access_expires_at, expires_at, place, at, at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[],
         $8::timestamptz[]) AS n (id, account_id, kind, hash, access_expires_at, expires_at, place, at)`,
      [
        started.map((session) => session.sessionId),
        started.map((session) => session.accountId),
        started.map((session) => session.kind),
        started.map((session) => session.accessHash),
        started.map((session) => session.accessExpiresAt),
        started.map((session) => session.expiresAt),
        started.map((session) => session.place ?? null),
        started.map((session) => session.startedAt),
      ],
    );
  }

  private async refresh(sql: Sql, refreshed: readonly SessionRefreshed[]): Promise<void> {
    const newest = [...new Map(refreshed.map((event) => [event.sessionId, event])).values()];
    await sql.query(
      `UPDATE sessions s SET access_hash = n.hash, access_expires_at = n.access_expires_at,
         expires_at = n.expires_at, last_used_at = greatest(s.last_used_at, n.at)
       FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
         AS n (id, hash, access_expires_at, expires_at, at)
       WHERE s.session_id = n.id`,
      [
        newest.map((event) => event.sessionId),
        newest.map((event) => event.accessHash),
        newest.map((event) => event.accessExpiresAt),
        newest.map((event) => event.expiresAt),
        newest.map((event) => event.refreshedAt),
      ],
    );
  }

  /** A cookie lives on with its use, up to the end of its session. */
  private async use(sql: Sql, used: readonly SessionUsed[]): Promise<void> {
    await sql.query(
      `UPDATE sessions s SET last_used_at = greatest(s.last_used_at, n.at),
         access_expires_at = CASE s.kind
           WHEN 'cookie' THEN greatest(s.access_expires_at, least(s.expires_at, n.at + $3 * interval '1 millisecond'))
           ELSE s.access_expires_at END
       FROM unnest($1::text[], $2::timestamptz[]) AS n (id, at) WHERE s.session_id = n.id`,
      [used.map(({ sessionId }) => sessionId), used.map(({ usedAt }) => usedAt), cookieIdleMs],
    );
  }
}
