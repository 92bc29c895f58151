import {
  type Decider,
  type Decision,
  type DomainEvent,
  type Instant,
  millis,
  Refused,
} from '@carillon/eventing';
import type { Opened } from './account';

/** The claim of something that at most one account may have, such as an address; null when there is none. */
export type ClaimState = Claim | null;

export interface Claim {
  readonly accountId: string;
  readonly claimedAt: Instant;
}

/**
 * How long a claim holds while its account does not use it. The command that made the claim has finished by then, or
 * its process has crashed.
 */
const claimHoldsMs = 60_000;

export interface Holder {
  readonly accountId: string;
  /** Whether the account that holds the claim has this one, another one, or was never opened. */
  readonly uses: 'this' | 'another' | 'nothing';
  /** An account of this id existed once and has been deleted. */
  readonly wasOpened?: boolean;
}

export interface ClaimRequest {
  readonly accountId: string;
  /** The account that holds the claim, as last read. */
  readonly holder?: Holder;
  readonly at: Instant;
}

/** Claims, or renews the account's own claim, so that no other account takes it over in the meantime. */
export const claiming =
  <Type extends string>(
    type: Type,
    taken: string,
  ): Decision<ClaimState, DomainEvent & Claim & { readonly type: Type }, ClaimRequest> =>
  ({ accountId, holder, at }) =>
  (state) => {
    const claimed = { type, accountId, claimedAt: at };
    if (!state) return [claimed];
    if (state.accountId === accountId) return state.claimedAt === at ? [] : [claimed];
    if (holder?.accountId !== state.accountId) throw new Refused('stream.concurrent_update');
    if (holder.uses === 'this' || millis(at) - millis(state.claimedAt) < claimHoldsMs)
      throw new Refused(taken);
    return [claimed];
  };

/** One address, or whatever else at most one account may have. */
export interface Claimable<Event extends DomainEvent> {
  readonly decider: Decider<ClaimState, Event>;
  readonly claim: Decision<ClaimState, Event, ClaimRequest>;
  /** The key of its stream. */
  readonly key: string;
  /** Whether the account has it. */
  readonly isOf: (opened: Opened) => boolean;
}
