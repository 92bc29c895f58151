import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Accounts,
  Nothing,
  RefreshSession,
  SecretHash,
  SecretHashes,
  SessionById,
  type SessionIdentity,
  type SessionSecrets,
  type SessionSummary,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { cell, Clock, type Logger, LOGGER, secret } from '@carillon/runtime';
import { deriveSecret, hashSecret, looksLikeSecret, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { insistOnActive } from '../account/account';
import { selfMetadata } from '../account/opening.service';
import { Revocations } from '../revocation/revocations.process';
import { Uses } from '../use/uses.service';
import { accessPrefix, cookieIdleMs, refresh, refreshPrefix, session } from './session';
import { sessionsWithEnds } from './sessions.entity';
import { Sessions } from './sessions.service';

interface SessionRow {
  session_id: string;
  account_id: string;
  kind: 'cookie' | 'app';
  access_expires_at: Date;
  expires_at: Date;
  started_at: Date;
  logged_use_at: Date;
  last_used_at: Date;
  ended_at: Date | null;
}

/** Null while the account has no row. */
interface RankRow {
  operator: boolean | null;
  suspended: boolean | null;
}

/** Each use extends a cookie, up to the end of its session. Conditions and columns agree on what a use is. */
const usedSessions = `(
  SELECT session_id, account_id, kind, access_hash, expires_at, started_at, ended_at, last_used_at AS logged_use_at,
    greatest(last_used_at, used_at) AS last_used_at,
    CASE kind WHEN 'cookie'
      THEN greatest(access_expires_at,
        least(expires_at, greatest(last_used_at, used_at) + ${cookieIdleMs} * interval '1 millisecond'))
      ELSE access_expires_at END AS access_expires_at
  FROM ${sessionsWithEnds} s LEFT JOIN last_uses ON id = session_id)`;

@Controller()
export class SessionHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Uses) private readonly uses: Uses,
    @Inject(Revocations) private readonly revocations: Revocations,
  ) {}

  @Handles(Accounts.identifySession)
  async identify({ hash }: SecretHash): Promise<Answer<SessionIdentity>> {
    await this.projections.current('accounts');
    const row = await this.projections.find('sessions', async () => {
      const [found] = await this.database.query<SessionRow & RankRow>(
        `SELECT s.*, a.operator, a.suspended FROM ${usedSessions} s LEFT JOIN accounts a USING (account_id) WHERE s.access_hash = $1`,
        [hash],
      );
      return found;
    });
    if (!row) throw new Refused('session.unknown');
    if (row.ended_at || (await this.revocations.has(row.session_id))) throw new Refused('session.ended');
    this.projections.insist('sessions', row.account_id);
    // An account has its rank from its first event on.
    if (row.operator === null) this.projections.insist('accounts', row.account_id);
    if (row.access_expires_at.getTime() <= this.clock.ms()) throw new Refused('session.expired');
    insistOnActive(row);
    const { session_id: id, account_id: accountId, logged_use_at: loggedAt, last_used_at: lastUsedAt } = row;
    this.uses.session({ id, accountId, loggedAt, lastUsedAt });
    return answer({
      sessionId: id,
      accountId,
      kind: row.kind,
      signedInAt: row.started_at.toISOString(),
      operator: row.operator ?? false,
    });
  }

  /** One statement for all of them. What the rows do not have yet is asked with `identify`. */
  @Handles(Accounts.validSessions)
  async valid({ hashes }: SecretHashes): Promise<Answer<{ valid: string[] }>> {
    const rows = await this.database.query<SessionRow & { access_hash: string }>(
      `SELECT s.* FROM ${usedSessions} s LEFT JOIN accounts a USING (account_id)
       WHERE s.access_hash = ANY($1) AND s.ended_at IS NULL AND s.access_expires_at > $2
         AND a.suspended IS NOT TRUE`,
      [hashes, this.clock.now()],
    );
    const valid: string[] = [];
    for (const { access_hash, session_id: id, account_id, logged_use_at, last_used_at } of rows) {
      if (await this.revocations.has(id)) continue;
      valid.push(access_hash);
      this.uses.session({ id, accountId: account_id, loggedAt: logged_use_at, lastUsedAt: last_used_at });
    }
    return answer({ valid });
  }

  @Handles(Accounts.refresh)
  async refresh({ refreshToken }: RefreshSession, context: Context): Promise<Answer<SessionSecrets>> {
    if (!looksLikeSecret(refreshToken, refreshPrefix)) throw new Refused('session.refresh_invalid');
    const presentedHash = hashSecret(this.pepper, refreshToken);
    // The row only tells which stream to read: the log decides.
    const row = await this.projections.find('sessions', async () => {
      const [found] = await this.database.query<
        Pick<SessionRow & RankRow, 'session_id' | 'account_id' | 'ended_at' | 'suspended'>
      >(
        `SELECT session_id, account_id, ended_at, suspended
         FROM session_refreshes JOIN ${sessionsWithEnds} s USING (session_id) LEFT JOIN accounts USING (account_id)
         WHERE refresh_hash = $1`,
        [presentedHash],
      );
      return found;
    });
    // Only the device's stream has the end of a session that ended with its device; the rows follow that stream.
    if (!row || row.ended_at || (await this.revocations.has(row.session_id)))
      throw new Refused('session.refresh_invalid');
    this.projections.insist('sessions', row.account_id);
    insistOnActive(row);
    // Derived from the presented token, so that a retry after a lost answer gets the same secrets.
    const access = deriveSecret(this.pepper, accessPrefix, this.cell, refreshToken);
    const renewal = deriveSecret(this.pepper, refreshPrefix, this.cell, refreshToken);
    const { state, events, position, revision } = await this.log.transact(
      session,
      streamTail(row.session_id),
      refresh({
        presentedHash,
        accessHash: hashSecret(this.pepper, access),
        refreshHash: hashSecret(this.pepper, renewal),
        at: this.clock.now(),
      }),
      selfMetadata(context, row.account_id),
    );
    await this.projections.caughtUp('sessions', position);
    if (!state || events[0]?.type === 'SessionEnded') {
      this.revocations.tellSession(row.session_id, { position, revision });
      this.logger.warn(
        { sessionId: row.session_id, traceparent: context.traceparent },
        'A used refresh token was presented again: ended its session',
      );
      throw new Refused('session.refresh_invalid');
    }
    return answer(
      {
        sessionId: row.session_id,
        accessToken: access,
        refreshToken: renewal,
        expiresAt: state.accessExpiresAt,
      },
      position,
    );
  }

  @Handles(Accounts.signOut)
  async signOut(_input: Nothing, context: Context): Promise<Answer<{ ok: true }>> {
    const { sessionId: id } = context.caller;
    if (!id) throw new Refused('session.required');
    return this.sessions.end(id, 'signed_out', context);
  }

  @Handles(Accounts.endSession)
  async endOne({ id }: SessionById, context: Context): Promise<Answer<{ ok: true }>> {
    return this.sessions.end(id, 'revoked', context);
  }

  @Handles(Accounts.listSessions)
  async list(_input: Nothing, context: Context): Promise<Answer<{ sessions: SessionSummary[] }>> {
    await this.projections.reached('sessions', context.after, context.caller.accountId);
    const { accountId, sessionId } = context.caller;
    const rows = await this.database.query<SessionRow>(
      `SELECT * FROM ${usedSessions} s WHERE account_id = $1 AND ended_at IS NULL AND expires_at > $2
         AND (kind = 'app' OR access_expires_at > $2)
       ORDER BY started_at DESC, session_id DESC LIMIT 200`,
      [accountId, this.clock.now()],
    );
    const sessions = rows.map((row) => ({
      id: row.session_id,
      kind: row.kind,
      current: row.session_id === sessionId,
      createdAt: row.started_at.toISOString(),
      lastUsedAt: row.last_used_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
    }));
    return answer({ sessions });
  }
}
