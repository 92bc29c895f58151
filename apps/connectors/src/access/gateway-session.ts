import type { AccessBound, GatewaySessionEvent } from '@carillon/contracts';
import {
  type Decider,
  type Decision,
  type Instant,
  isBefore,
  millis,
  plus,
  Refused,
} from '@carillon/eventing';
import { boundIn, isBoundTo } from './admission';

/** Null before it was begun, and when it is long over. */
export type GatewaySessionState = GatewaySession | null;

export interface GatewaySession extends AccessBound {
  /** It is over by then whoever uses it. */
  readonly until: Instant;
  /** As far as that was noted. */
  readonly usedAt: Instant;
}

export const gatewaySession: Decider<GatewaySessionState, GatewaySessionEvent> = {
  category: 'gateway_session',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'GatewaySessionBegun':
        return { ...boundIn(event), until: event.until, usedAt: event.begunAt };
      case 'GatewaySessionUsed':
        return state && { ...state, usedAt: event.usedAt };
    }
  },
};

export const sessionPrefix = 'carillon_gws_';

const minute = 60_000;
const sessionMs = 12 * 60 * minute;
/** A use is worth a note once a minute. */
const notedEveryMs = minute;
/** The last use may be so much later than the log knows: nobody is put out before half an hour is over. */
const idleMs = 30 * minute + notedEveryMs;

export interface Begin {
  readonly hash: string;
  readonly bound: AccessBound;
  readonly at: Instant;
}

export const beginSession: Decision<GatewaySessionState, GatewaySessionEvent, Begin> =
  ({ hash, bound, at }) =>
  (state) =>
    state
      ? []
      : [
          {
            type: 'GatewaySessionBegun',
            sessionHash: hash,
            ...bound,
            begunAt: at,
            until: plus(at, sessionMs),
          },
        ];

export interface Use {
  /** To whom what is open at this moment; absent when nobody may come in. */
  readonly bound: AccessBound | undefined;
  readonly at: Instant;
}

/**
 * Goes on with a session. Refused `gateway_session.invalid` whatever is wrong with it. As uses are noted once a minute,
 * it ends when it was not used for 30 to 31 minutes.
 */
export const useSession: Decision<GatewaySessionState, GatewaySessionEvent, Use> =
  ({ bound, at }) =>
  (state) => {
    if (
      !state ||
      !isBefore(at, state.until) ||
      !isBefore(at, plus(state.usedAt, idleMs)) ||
      !isBoundTo(state, bound)
    )
      throw new Refused('gateway_session.invalid');
    return millis(at) - millis(state.usedAt) < notedEveryMs
      ? []
      : [{ type: 'GatewaySessionUsed', usedAt: at }];
  };
