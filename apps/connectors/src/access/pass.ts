import type { AccessBound, PassEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isBefore, plus, Refused } from '@carillon/eventing';
import { boundIn, isBoundTo } from './admission';

/** Null before the pass was issued, and after its stream was deleted. */
export type PassState = Pass | null;

export interface Pass extends AccessBound {
  readonly until: Instant;
  /** The command that spent the pass; null while unspent. */
  readonly spentBy: string | null;
}

export const pass: Decider<PassState, PassEvent> = {
  category: 'pass',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'PassIssued':
        return { ...boundIn(event), until: event.until, spentBy: null };
      case 'PassSpent':
        return state && { ...state, spentBy: event.by };
    }
  },
  personal: { PassIssued: [], PassSpent: [] },
};

export const passPrefix = 'carillon_pass_';
const passMs = 60_000;

export interface Issue {
  readonly hash: string;
  readonly bound: AccessBound;
  readonly at: Instant;
}

/** Issues a pass for one minute and one use. */
export const issuePass: Decision<PassState, PassEvent, Issue> =
  ({ hash, bound, at }) =>
  (state) =>
    state
      ? []
      : [
          {
            type: 'PassIssued',
            passHash: hash,
            ...bound,
            issuedAt: at,
            until: plus(at, passMs),
          },
        ];

export interface Redemption {
  /** The current binding that grants access; absent without access. */
  readonly bound: AccessBound | undefined;
  /** The command that spends the pass. */
  readonly by: string;
  readonly at: Instant;
}

/**
 * Spends the pass for the first command. Refused `pass.invalid` for any fault, so that a caller cannot find out whether
 * the pass ever existed.
 */
export const spendPass: Decision<PassState, PassEvent, Redemption> =
  ({ bound, by, at }) =>
  (state) => {
    const isOurs = state?.spentBy === by;
    const isGood = isOurs || (state?.spentBy === null && isBefore(at, state.until));
    if (!state || !isGood || !isBoundTo(state, bound)) throw new Refused('pass.invalid');
    return isOurs ? [] : [{ type: 'PassSpent', by, spentAt: at }];
  };

/** The route's address with the pass added to its query. */
export function urlWithPass(url: string, secret: string): string {
  const address = new URL(url);
  const asked = address.search.slice(1);
  address.search = `${asked && `${asked}&`}carillon_pass=${secret}`;
  return address.href;
}
