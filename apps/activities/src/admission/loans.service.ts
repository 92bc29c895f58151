import type { CapacityLoan } from '@carillon/contracts';
import type { Guest } from '@carillon/push-client';
import { Log } from '@carillon/event-store';
import { type EventMetadata, type Instant, Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { board } from '../board/board';
import { lend, takeBack } from '../board/loan';
import { Boards } from './boards.service';

export interface Borrowing {
  readonly activityId: string;
  /** The account that owns the activity. */
  readonly accountId: string;
  /** The activity that it replaces. */
  readonly leavingId: string | null;
  readonly expiresAt: Instant;
  readonly at: Instant;
}

/**
 * The capacity that activities borrow on the boards of other accounts. Each attempt to start an activity borrows
 * separately.
 */
@Injectable()
export class Loans {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Boards) private readonly boards: Boards,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Borrows capacity on all boards, or on none. */
  async take(
    { accountId: borrowerId, ...asked }: Borrowing,
    guests: readonly Guest[],
    metadata: EventMetadata,
  ): Promise<CapacityLoan> {
    const loanId = randomUUID();
    const lenderIds: string[] = [];
    try {
      for (const { accountId, deviceIds } of guests) {
        const lending = lend({ ...asked, loanId, accountId, borrowerId, deviceIds });
        const lent = await this.log.transact(
          board,
          accountId,
          lending,
          metadataOf(loanId, 'lend', accountId, metadata),
        );
        this.boards.tidy(accountId, lent);
        lenderIds.push(accountId);
      }
    } catch (error) {
      if (error instanceof Refused) await this.releaseSoon({ loanId, lenderIds }, metadata);
      throw error;
    }
    return { loanId, lenderIds };
  }

  /** Releases a loan at once if possible; otherwise a timer releases it after the time for using it. */
  async releaseSoon(loan: CapacityLoan, metadata: EventMetadata): Promise<void> {
    try {
      await this.release(loan, metadata);
    } catch (error) {
      this.logger.warn(
        { err: error, traceparent: metadata.traceparent },
        'Failed to release borrowed activity capacity: a timer tries again',
      );
    }
  }

  async release({ loanId, lenderIds }: CapacityLoan, metadata: EventMetadata): Promise<void> {
    for (const accountId of lenderIds) {
      const returned = await this.log.transact(
        board,
        accountId,
        takeBack({ loanId, accountId, at: this.clock.now() }),
        metadataOf(loanId, 'return', accountId, metadata),
      );
      this.boards.tidy(accountId, returned);
    }
  }
}

const metadataOf = (
  loanId: string,
  what: string,
  accountId: string,
  metadata: EventMetadata,
): EventMetadata => ({ ...metadata, commandId: uuidV5(loanId, `${what} ${accountId}`), accountId });
