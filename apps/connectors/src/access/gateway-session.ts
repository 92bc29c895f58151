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

/** Null before the session began, and after its stream was deleted. */
export type GatewaySessionState = GatewaySession | null;

export interface GatewaySession extends AccessBound {
  /** The end of the session, regardless of its use. */
  readonly until: Instant;
  /** The last use that was noted. */
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
  personal: { GatewaySessionBegun: [], GatewaySessionUsed: [] },
};

export const sessionPrefix = 'carillon_gws_';

const minute = 60_000;
const sessionMs = 12 * 60 * minute;
/** A use is noted at most once a minute. */
const notedEveryMs = minute;
/** The last use may be up to `notedEveryMs` later than noted; no session may end before half an hour without use. */
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
  /** The current binding that grants access; absent without access. */
  readonly bound: AccessBound | undefined;
  readonly at: Instant;
}

/**
 * Continues a session. Refused `gateway_session.invalid` for any fault. As uses are noted once a minute, the session
 * ends after 30 to 31 minutes without use.
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
