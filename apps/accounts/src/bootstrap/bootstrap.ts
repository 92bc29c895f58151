import type { BootstrapEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isBefore, Refused } from '@carillon/eventing';

export interface Bootstrap {
  readonly offer: { readonly secretHash: string; readonly expiresAt: Instant } | null;
  /** The account that the secret was used for; it may not have been opened yet. */
  readonly accountId: string | null;
}

export const bootstrap: Decider<Bootstrap, BootstrapEvent> = {
  category: 'installation',
  initial: { offer: null, accountId: null },
  evolve(state, event) {
    switch (event.type) {
      case 'BootstrapOffered':
        return { ...state, offer: { secretHash: event.secretHash, expiresAt: event.expiresAt } };
      case 'BootstrapUsed':
        return { ...state, accountId: event.accountId };
    }
  },
  personal: { BootstrapOffered: [], BootstrapUsed: [] },
};

export const bootstrapId = 'bootstrap';

export const offerHoldsMs = 24 * 60 * 60 * 1000;

export interface Offering {
  readonly secretHash: string;
  readonly expiresAt: Instant;
  /** The operator chose the secret: it replaces another that is still valid. */
  readonly chosen: boolean;
  readonly at: Instant;
}

/** Offers the secret for the first account, unless an earlier one is still valid. */
export const offer: Decision<Bootstrap, BootstrapEvent, Offering> =
  ({ secretHash, expiresAt, chosen, at }) =>
  ({ offer: held }) => {
    const holds =
      held !== null && isBefore(at, held.expiresAt) && (!chosen || held.secretHash === secretHash);
    return holds ? [] : [{ type: 'BootstrapOffered', secretHash, expiresAt }];
  };

/** Uses the secret for the account to be opened. The first use names the account; later uses are for the same one. */
export const use: Decision<
  Bootstrap,
  BootstrapEvent,
  { secretHash: string; accountId: string; at: Instant }
> =
  ({ secretHash, accountId, at }) =>
  (state) => {
    if (!state.offer || state.offer.secretHash !== secretHash || !isBefore(at, state.offer.expiresAt))
      throw new Refused('account.bootstrap_secret');
    return state.accountId ? [] : [{ type: 'BootstrapUsed', accountId, usedAt: at }];
  };
