import type { ActivityBoardEvent } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { type Board, type Loan, refuseFull } from './board';

export interface Lending extends Omit<Loan, 'lentAt'> {
  /** The activity whose place it takes, if it does. Both have capacity until one of them goes. */
  readonly leavingId: string | null;
  readonly at: Instant;
}

/** Gives an activity of another account capacity on devices of this one, on all that are asked for or on none. */
export const lend: Decision<Board, ActivityBoardEvent, Lending> =
  ({ leavingId, at, ...asked }) =>
  (state) => {
    if (state.loans.some(({ loanId }) => loanId === asked.loanId)) return [];
    try {
      refuseFull(state, asked.deviceIds, at, leavingId);
    } catch (error) {
      // The capacity may be what the same request, asked at the same time, has just been lent.
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

/** Takes the capacity back. */
export const takeBack: Decision<Board, ActivityBoardEvent, Returning> =
  ({ loanId, accountId, at }) =>
  (state) =>
    state.loans.some((loan) => loan.loanId === loanId)
      ? [{ type: 'ActivityCapacityReturned', loanId, accountId, returnedAt: at }]
      : [];
