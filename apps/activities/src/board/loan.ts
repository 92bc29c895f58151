import type { ActivityBoardEvent } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { type Board, type Loan, refuseFull } from './board';

export interface Lending extends Omit<Loan, 'lentAt'> {
  /** The activity that it replaces, if any. Both have capacity until one of them is released. */
  readonly leavingId: string | null;
  readonly at: Instant;
}

/** Lends an activity of another account capacity on this account's devices: on all requested devices, or on none. */
export const lend: Decision<Board, ActivityBoardEvent, Lending> =
  ({ leavingId, at, ...asked }) =>
  (state) => {
    if (state.loans.some(({ loanId }) => loanId === asked.loanId)) return [];
    try {
      refuseFull(state, asked.deviceIds, at, leavingId);
    } catch (error) {
      // A concurrent repetition of the same request may have just borrowed this capacity.
      const tail = streamTail(asked.activityId);
      if (state.loans.some(({ activityId }) => streamTail(activityId) === tail))
        throw new Refused('idempotency.in_progress');
      throw error;
    }
    return [{ type: 'ActivityCapacityLent', ...asked, lentAt: at }];
  };

export interface Returning {
  readonly loanId: string;
  readonly accountId: string;
  readonly at: Instant;
}

/** Takes back lent capacity. */
export const takeBack: Decision<Board, ActivityBoardEvent, Returning> =
  ({ loanId, accountId, at }) =>
  (state) =>
    state.loans.some((loan) => loan.loanId === loanId)
      ? [{ type: 'ActivityCapacityReturned', loanId, accountId, returnedAt: at }]
      : [];
