import type { EmailEvent } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';
import { createHmac } from 'node:crypto';
import { type Claim, claiming, type ClaimState } from './claim';

/** Who has claimed an address. */
export const email: Decider<ClaimState, EmailEvent> = {
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

/** Refused `account.email_taken`. */
export const claim = claiming('EmailClaimed', 'account.email_taken');

/** Releases the claim of an address, unless the address was claimed again since. */
export const release: Decision<ClaimState, EmailEvent, { held: Claim; at: Instant }> =
  ({ held, at }) =>
  (state) =>
    state?.accountId === held.accountId && state.claimedAt === held.claimedAt
      ? [{ type: 'EmailReleased', accountId: held.accountId, releasedAt: at }]
      : [];
