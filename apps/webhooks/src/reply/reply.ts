import type { AttemptError, ReplyEvent, ReplyStatus } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, plus } from '@carillon/eventing';
import { maxAttempts, nextAttempt } from './schedule';

/** What has become of one delivery since it was queued. */
export interface Reply {
  readonly status: ReplyStatus;
  /** All that were ever made. */
  readonly attempts: number;
  /** Those since it was queued, or since somebody asked for it once more. */
  readonly tries: number;
  /** How often somebody asked for it once more. */
  readonly resends: number;
  /** Null when nothing is due: at first as the outbox says when, and at the end for ever. */
  readonly nextAttemptAt: Instant | null;
}

export const reply: Decider<Reply, ReplyEvent> = {
  category: 'reply',
  initial: { status: 'pending', attempts: 0, tries: 0, resends: 0, nextAttemptAt: null },
  evolve(state, event) {
    switch (event.type) {
      case 'ReplyAttempted': {
        const { status, attempt, nextAttemptAt } = event;
        return { ...state, status, attempts: attempt, tries: state.tries + 1, nextAttemptAt };
      }
      case 'ReplyResent':
        return {
          ...state,
          status: 'pending',
          tries: 0,
          resends: state.resends + 1,
          nextAttemptAt: event.resentAt,
        };
      case 'ReplyCanceled':
        return { ...state, status: 'canceled', nextAttemptAt: null };
      case 'ReplyTested':
        return { ...state, status: event.status, attempts: 1, tries: 1 };
    }
  },
};

export const isWaiting = ({ status }: Pick<Reply, 'status'>): boolean =>
  status === 'pending' || status === 'retrying';

/** Which delivery, and whose. */
export interface Named {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly accountId: string;
}

/** What came of one request to the receiver. */
export interface AttemptOutcome {
  /** Null when it was delivered. */
  readonly error: AttemptError | null;
  readonly responseCode: number | null;
  readonly latencyMs: number;
  readonly retryAfterMs: number | null;
  /** The connector that it went through. */
  readonly connectorId?: string;
}

/** The receiver says that it is gone for good. */
const gone = 410;

export interface ReplyAttempt extends Named {
  /** 1 for the first; what is known of it already is not written down again. */
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly at: Instant;
  /** From 0 up to 1. */
  readonly chance: number;
}

export const recordAttempt: Decision<Reply, ReplyEvent, ReplyAttempt> =
  ({ attempt, outcome, at, chance, ...named }) =>
  (state) => {
    if (!isWaiting(state) || attempt <= state.attempts) return [];
    const { error, responseCode, latencyMs, retryAfterMs, connectorId } = outcome;
    const tries = state.tries + 1;
    const isLast = tries >= maxAttempts || responseCode === gone;
    const status = error === null ? 'delivered' : isLast ? 'failed' : 'retrying';
    const nextAttemptAt =
      status === 'retrying' ? nextAttempt({ tries, at: plus(at, latencyMs), retryAfterMs, chance }) : null;
    return [
      {
        type: 'ReplyAttempted',
        ...named,
        attempt,
        status,
        responseCode,
        error,
        latencyMs,
        nextAttemptAt,
        ...(connectorId !== undefined && { connectorId }),
        attemptedAt: at,
      },
    ];
  };

/** Begins anew, whatever has become of it; nothing when that was just asked for. */
export const resend: Decision<Reply, ReplyEvent, Named & { readonly at: Instant }> =
  ({ at, ...named }) =>
  (state) =>
    isWaiting(state) && state.tries === 0 ? [] : [{ type: 'ReplyResent', ...named, resentAt: at }];

export interface Cancelation extends Named {
  readonly reason: 'disabled' | 'deleted';
  /** Of the delivery as it was given up: what was sent once more since is wanted again. */
  readonly resends: number;
  readonly at: Instant;
}

export const cancel: Decision<Reply, ReplyEvent, Cancelation> =
  ({ reason, resends, at, ...named }) =>
  (state) =>
    isWaiting(state) && state.resends === resends
      ? [{ type: 'ReplyCanceled', ...named, reason, canceledAt: at }]
      : [];
