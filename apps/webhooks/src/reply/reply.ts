import type { AttemptError, ReplyEvent, ReplyStatus } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, plus } from '@carillon/eventing';
import { maxAttempts, nextAttempt } from './schedule';

/** The state of one delivery since it was queued. */
export interface Reply {
  readonly status: ReplyStatus;
  /** All attempts ever made. */
  readonly attempts: number;
  /** Attempts since the delivery was queued or last resent. */
  readonly tries: number;
  /** How often the delivery was resent. */
  readonly resends: number;
  /** Null when nothing is due: before the first attempt, which the outbox makes due, and after the end. */
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
  personal: { ReplyAttempted: [], ReplyResent: [], ReplyCanceled: [], ReplyTested: [] },
};

export const isWaiting = ({ status }: Pick<Reply, 'status'>): boolean =>
  status === 'pending' || status === 'retrying';

/** A delivery with its webhook and account. */
export interface Named {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly accountId: string;
}

/** The outcome of one request to the receiver. */
export interface AttemptOutcome {
  /** Null when it was delivered. */
  readonly error: AttemptError | null;
  readonly responseCode: number | null;
  readonly latencyMs: number;
  readonly retryAfterMs: number | null;
  /** The connector that the request went through. */
  readonly connectorId?: string;
}

/** The status of a receiver that no longer exists. */
const gone = 410;

export interface ReplyAttempt extends Named {
  /** 1 for the first; an attempt that the stream has already is not recorded again. */
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

/** Starts the delivery again in any state; does nothing when it has just been resent. */
export const resend: Decision<Reply, ReplyEvent, Named & { readonly at: Instant }> =
  ({ at, ...named }) =>
  (state) =>
    isWaiting(state) && state.tries === 0 ? [] : [{ type: 'ReplyResent', ...named, resentAt: at }];

export interface Cancelation extends Named {
  readonly reason: 'disabled' | 'deleted';
  /** `Reply.resends` at the time of the cancellation: a later resend takes precedence. */
  readonly resends: number;
  readonly at: Instant;
}

export const cancel: Decision<Reply, ReplyEvent, Cancelation> =
  ({ reason, resends, at, ...named }) =>
  (state) =>
    isWaiting(state) && state.resends === resends
      ? [{ type: 'ReplyCanceled', ...named, reason, canceledAt: at }]
      : [];
