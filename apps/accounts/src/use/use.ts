import type { SessionUsed, TokenUsed } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis } from '@carillon/eventing';

/** The last recorded use; null when there is none. */
export type LastUse = Instant | null;

export const tokenUse: Decider<LastUse, TokenUsed> = {
  category: 'token_use',
  initial: null,
  evolve: (_state, { usedAt }) => usedAt,
};

export const sessionUse: Decider<LastUse, SessionUsed> = {
  category: 'session_use',
  initial: null,
  evolve: (_state, { usedAt }) => usedAt,
};

/** A use is recorded at most once a minute. */
export const isWorthNoting = (last: LastUse, at: Instant): boolean =>
  last === null || millis(at) - millis(last) >= 60_000;

interface Use {
  readonly id: string;
  readonly accountId: string;
  readonly at: Instant;
}

export const useToken: Decision<LastUse, TokenUsed, Use> =
  ({ id, accountId, at }) =>
  (last) =>
    isWorthNoting(last, at) ? [{ type: 'TokenUsed', tokenId: id, accountId, usedAt: at }] : [];

export const useSession: Decision<LastUse, SessionUsed, Use> =
  ({ id, accountId, at }) =>
  (last) =>
    isWorthNoting(last, at) ? [{ type: 'SessionUsed', sessionId: id, accountId, usedAt: at }] : [];
