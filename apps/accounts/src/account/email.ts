import type { EmailEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';
import { createHmac } from 'node:crypto';

/** The claim of an address; null when there is none. */
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
  personal: { EmailClaimed: [], EmailReleased: [] },
};

/** The stream key of an address, which does not reveal it. Letter case and Unicode form do not count. */
export const emailKey = (pepper: Buffer, address: string): string =>
  createHmac('sha256', pepper)
    .update(`email ${address.normalize('NFKC').toLowerCase()}`)
    .digest('hex');

/**
 * How long a claim holds while its account does not use the address. The command that made the claim has finished by
 * then, or its process has crashed.
 */
const claimHoldsMs = 60_000;

export interface Holder {
  readonly accountId: string;
  /** Whether the account that holds the claim has this address, another one, or was never opened. */
  readonly uses: 'this' | 'another' | 'nothing';
  /** An account of this id existed once and has been deleted. */
  readonly wasOpened?: boolean;
}

export interface EmailClaimRequest {
  readonly accountId: string;
  /** The account that holds the claim, as last read. */
  readonly holder?: Holder;
  readonly at: Instant;
}

/** Claims an address, or renews the account's own claim, so that no other account takes it over in the meantime. */
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

/** Releases the claim of an address, unless the address was claimed again since. */
export const release: Decision<EmailState, EmailEvent, { held: EmailClaim; at: Instant }> =
  ({ held, at }) =>
  (state) =>
    state?.accountId === held.accountId && state.claimedAt === held.claimedAt
      ? [{ type: 'EmailReleased', accountId: held.accountId, releasedAt: at }]
      : [];
