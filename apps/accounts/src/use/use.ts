import type { SessionUsed, TokenUsed } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis } from '@carillon/eventing';

/** The last recorded use; null when there is none. */
export type LastUse = Instant | null;

export const tokenUse: Decider<LastUse, TokenUsed> = {
  category: 'token_use',
  initial: null,
  evolve: (_state, { usedAt }) => usedAt,
  personal: { TokenUsed: [] },
};

export const sessionUse: Decider<LastUse, SessionUsed> = {
  category: 'session_use',
  initial: null,
  evolve: (_state, { usedAt }) => usedAt,
  personal: { SessionUsed: [] },
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const isOver = (periodMs: number, last: LastUse, at: Instant): boolean =>
  last === null || millis(at) - millis(last) >= periodMs;

/** The row of a last use is written at most once a minute. */
export const isDueForRow = (last: LastUse, at: Instant): boolean => isOver(minuteMs, last, at);

/** The log gets at most one use a day of each token and session, from which rows are rebuilt. */
export const isDueForLog = (last: LastUse, at: Instant): boolean => isOver(dayMs, last, at);

interface Use {
  readonly id: string;
  readonly accountId: string;
  readonly at: Instant;
}

export const useToken: Decision<LastUse, TokenUsed, Use> =
  ({ id, accountId, at }) =>
  (last) =>
    isDueForLog(last, at) ? [{ type: 'TokenUsed', tokenId: id, accountId, usedAt: at }] : [];

export const useSession: Decision<LastUse, SessionUsed, Use> =
  ({ id, accountId, at }) =>
  (last) =>
    isDueForLog(last, at) ? [{ type: 'SessionUsed', sessionId: id, accountId, usedAt: at }] : [];
