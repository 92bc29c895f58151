import type { EmailEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';
import { createHmac } from 'node:crypto';

/** Who may have an address; null when nobody does. */
export type EmailState = EmailClaim | null;

export interface EmailClaim {
  readonly accountId: string;
  readonly claimedAt: Instant;
}

export const email: Decider<EmailState, EmailEvent> = {
  category: 'email',
  initial: null,
  evolve(_state, event) {
    switch (event.type) {
      case 'EmailClaimed':
        return { accountId: event.accountId, claimedAt: event.claimedAt };
      case 'EmailReleased':
        return null;
    }
  },
};

/** Names the stream of an address without telling it. Letter case and ways to write the same letters do not count. */
export const emailKey = (pepper: Buffer, address: string): string =>
  createHmac('sha256', pepper)
    .update(`email ${address.normalize('NFKC').toLowerCase()}`)
    .digest('hex');

/**
 * How long a claim holds whose account does not use the address: time enough to finish what it was made for, after
 * which whoever made it has died on the way.
 */
const claimHoldsMs = 60_000;

export interface Holder {
  readonly accountId: string;
  /** Whether the account that holds the claim has this address, another one, or was never opened. */
  readonly uses: 'this' | 'another' | 'nothing';
  /** There was an account of this id once, though nothing is left of it. */
  readonly wasOpened?: boolean;
}

export interface EmailClaimRequest {
  readonly accountId: string;
  /** What was found of the account that holds the claim. */
  readonly holder?: Holder;
  readonly at: Instant;
}

/** Claims an address, or renews the account's own claim, so that nobody takes it over while it is being put to use. */
export const claim: Decision<EmailState, EmailEvent, EmailClaimRequest> =
  ({ accountId, holder, at }) =>
  (state) => {
    const claimed = { type: 'EmailClaimed', accountId, claimedAt: at } as const;
    if (!state) return [claimed];
    if (state.accountId === accountId) return state.claimedAt === at ? [] : [claimed];
    if (holder?.accountId !== state.accountId) throw new Refused('stream.concurrent_update');
    if (holder.uses === 'this' || millis(at) - millis(state.claimedAt) < claimHoldsMs)
      throw new Refused('account.email_taken');
    return [claimed];
  };

/** Gives an address back, unless it was claimed anew since. */
export const release: Decision<EmailState, EmailEvent, { held: EmailClaim; at: Instant }> =
  ({ held, at }) =>
  (state) =>
    state?.accountId === held.accountId && state.claimedAt === held.claimedAt
      ? [{ type: 'EmailReleased', accountId: held.accountId, releasedAt: at }]
      : [];
