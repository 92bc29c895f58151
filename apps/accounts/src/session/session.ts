import type { SessionEnded, SessionEvent } from '@carillon/contracts';
import {
  type Decider,
  type Decision,
  type Instant,
  isBefore,
  millis,
  plus,
  Refused,
} from '@carillon/eventing';

/** Null before the session is started. */
export type SessionState = Session | null;

export interface Session {
  readonly sessionId: string;
  readonly accountId: string;
  readonly kind: 'cookie' | 'app';
  readonly refreshHash: string | null;
  /** The refresh token that the newest one replaced, and until when it is accepted again. */
  readonly previous: { readonly hash: string; readonly until: Instant } | null;
  readonly accessExpiresAt: Instant;
  readonly expiresAt: Instant;
  readonly startedAt: Instant;
  readonly ended: boolean;
}

export const session: Decider<SessionState, SessionEvent> = {
  category: 'session',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'SessionStarted': {
        const { sessionId, accountId, kind, refreshHash, accessExpiresAt, expiresAt, startedAt } = event;
        const started = { sessionId, accountId, kind, refreshHash, accessExpiresAt, expiresAt, startedAt };
        return { ...started, previous: null, ended: false };
      }
      case 'SessionRefreshed': {
        const { refreshHash, accessExpiresAt, expiresAt, refreshedAt } = event;
        return (
          state && {
            ...state,
            refreshHash,
            previous:
              state.refreshHash === null
                ? null
                : { hash: state.refreshHash, until: plus(refreshedAt, graceMs) },
            accessExpiresAt,
            expiresAt,
          }
        );
      }
      case 'SessionEnded':
        return state && { ...state, ended: true };
    }
  },
  personal: { SessionStarted: [], SessionRefreshed: [], SessionEnded: [] },
};

const minute = 60_000;
const day = 24 * 60 * minute;

/** The answer to a refresh may be lost; within this time the app can retry with its old refresh token. */
const graceMs = 30_000;

export const accessPrefix = 'carillon_ses_';
export const refreshPrefix = 'carillon_srt_';

/** A cookie that is unused for this time expires. */
export const cookieIdleMs = 7 * day;
const maxCookieMs = 30 * day;
const appAccessMs = 60 * minute;
const appRefreshMs = 90 * day;
const recentMs = 15 * minute;

export interface Start {
  readonly id: string;
  readonly accountId: string;
  readonly accessHash: string;
  /** With one it is an app's session, without it a browser's. */
  readonly refreshHash: string | null;
  readonly networkHash?: string;
  readonly browserHash?: string;
  readonly atOpening?: boolean;
  readonly at: Instant;
}

export const start: Decision<SessionState, SessionEvent, Start> =
  ({ id, accountId, accessHash, refreshHash, networkHash, browserHash, atOpening, at }) =>
  (state) =>
    state
      ? []
      : [
          {
            type: 'SessionStarted',
            sessionId: id,
            accountId,
            kind: refreshHash === null ? 'cookie' : 'app',
            accessHash,
            refreshHash,
            accessExpiresAt: plus(at, refreshHash === null ? cookieIdleMs : appAccessMs),
            expiresAt: plus(at, refreshHash === null ? maxCookieMs : appRefreshMs),
            ...(networkHash !== undefined && { networkHash }),
            ...(browserHash !== undefined && { browserHash }),
            ...(atOpening && { atOpening }),
            startedAt: at,
          },
        ];

export interface Refresh {
  readonly presentedHash: string;
  readonly accessHash: string;
  readonly refreshHash: string;
  readonly at: Instant;
}

/**
 * Issues new secrets for the newest refresh token. The previous token, within its grace time, gets the same secrets
 * again, since they are derived from it. Any other token ends the session: one of two parties has stolen it, and the
 * service cannot tell which.
 */
export const refresh: Decision<SessionState, SessionEvent, Refresh> =
  ({ presentedHash, accessHash, refreshHash, at }) =>
  (state) => {
    if (!state || state.refreshHash === null || state.ended || !isBefore(at, state.expiresAt))
      throw new Refused('session.refresh_invalid');
    const { sessionId, accountId } = state;
    const { previous } = state;
    if (previous?.hash === presentedHash && state.refreshHash === refreshHash && isBefore(at, previous.until))
      return [];
    if (state.refreshHash !== presentedHash)
      return [{ type: 'SessionEnded', sessionId, accountId, reason: 'refresh_reused', endedAt: at }];
    return [
      {
        type: 'SessionRefreshed',
        sessionId,
        accountId,
        accessHash,
        refreshHash,
        accessExpiresAt: plus(at, appAccessMs),
        expiresAt: plus(at, appRefreshMs),
        refreshedAt: at,
      },
    ];
  };

export interface End {
  readonly id: string;
  readonly accountId: string;
  readonly reason: Exclude<SessionEnded['reason'], 'refresh_reused'>;
  readonly at: Instant;
}

export const end: Decision<SessionState, SessionEvent, End> =
  ({ id, accountId, reason, at }) =>
  (state) => {
    if (state?.sessionId !== id || state.accountId !== accountId) throw new Refused('session.not_found');
    return state.ended ? [] : [{ type: 'SessionEnded', sessionId: id, accountId, reason, endedAt: at }];
  };

/** Refused unless the person behind the session has signed in within the last 15 minutes. */
export function insistOnRecent(state: SessionState, accountId: string, at: Instant): void {
  if (!state || state.accountId !== accountId || state.ended) throw new Refused('session.required');
  if (millis(at) - millis(state.startedAt) > recentMs) throw new Refused('session.reauth_required');
}
