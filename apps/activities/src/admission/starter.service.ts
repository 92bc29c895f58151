import type { Guest } from '@carillon/push-client';
import { Log, StreamDeleted } from '@carillon/event-store';
import { type EventMetadata, type Instant, isAfter, plus, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { type Activity, activity, begin } from '../activity/activity';
import {
  type Admission,
  admissionOf,
  admit,
  type Admitting,
  board,
  release,
  replacedBy,
} from '../board/board';
import { Boards } from './boards.service';
import { Loans } from './loans.service';

/** The timeout for using lent capacity. */
const useWithinMs = 30_000;

export interface Admitted {
  readonly admission: Admission;
  /** False when the activity had its capacity before. */
  readonly isNew: boolean;
  readonly position: bigint;
}

export interface Begun {
  readonly activity: Activity;
  readonly position: bigint;
}

/** The steps that start and release an activity across its account's board and its own stream, each repeatable. */
@Injectable()
export class Starter {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Boards) private readonly boards: Boards,
    @Inject(Loans) private readonly loans: Loans,
  ) {}

  async find(activityId: string): Promise<Activity | null> {
    return (await this.log.load(activity, streamTail(activityId))).state;
  }

  /** As `find`; throws `StreamDeleted` when the activity was deleted after its retention. */
  async findKept(activityId: string): Promise<Activity | null> {
    const { state, isDeleted } = await this.log.load(activity, streamTail(activityId));
    if (isDeleted) throw new StreamDeleted(`${activity.category}-${streamTail(activityId)}`);
    return state;
  }

  /** As `find`, but may lag behind the log: only for fields that never change. */
  async known(activityId: string): Promise<Activity | null> {
    return this.log.known(activity, streamTail(activityId));
  }

  async admission(accountId: string, activityId: string): Promise<Admission | undefined> {
    return admissionOf((await this.log.load(board, accountId)).state, activityId);
  }

  /**
   * Reserves capacity for an activity; a repetition with its id finds it reserved. For devices of other accounts, their
   * boards lend capacity first; the activity's own board decides last.
   */
  async admit(admitting: Admitting, guests: readonly Guest[], metadata: EventMetadata): Promise<Admitted> {
    if (guests.length === 0) return this.reserveCapacity(admitting, metadata);
    const { state } = await this.log.load(board, admitting.accountId);
    if (admissionOf(state, admitting.activityId)) return this.reserveCapacity(admitting, metadata);
    const leavingId = replacedBy(state, admitting)?.activityId ?? null;
    const loan = await this.loans.take({ ...pick(admitting), leavingId }, guests, metadata);
    try {
      const admitted = await this.reserveCapacity({ ...admitting, loan, leavingId }, metadata);
      if (!admitted.isNew) await this.loans.releaseSoon(loan, metadata);
      return admitted;
    } catch (error) {
      if (error instanceof Refused) await this.loans.releaseSoon(loan, metadata);
      throw error;
    }
  }

  private async reserveCapacity(admitting: Admitting, metadata: EventMetadata): Promise<Admitted> {
    const { loan, at } = admitting;
    const decide = admit(admitting);
    const admitted = await this.log.transact(
      board,
      admitting.accountId,
      (state) => {
        // After a delay this long, the loan may be released before it is used.
        if (loan && isAfter(this.clock.now(), plus(at, useWithinMs)))
          throw new Refused('stream.concurrent_update');
        return decide(state);
      },
      metadata,
    );
    this.boards.tidy(admitting.accountId, admitted);
    const admission = admissionOf(admitted.state, admitting.activityId);
    if (!admission) throw new Error('An activity was admitted without a trace');
    return { admission, isNew: admitted.events.length > 0, position: admitted.position };
  }

  /** Begins the activity as admitted. */
  async begin(admission: Admission, metadata: EventMetadata): Promise<Begun> {
    const { admittedAt, ...started } = admission;
    const { state, position } = await this.log.transact(
      activity,
      streamTail(admission.activityId),
      begin({ ...started, startedAt: admittedAt }),
      metadata,
      { expectNew: true },
    );
    if (!state) throw new Error('An activity began without a trace');
    return { activity: state, position };
  }

  /** Releases the activity's capacity, on other boards too; does nothing when it has none. */
  async release(
    of: { readonly activityId: string; readonly accountId: string },
    at: Instant,
    metadata: EventMetadata,
  ): Promise<bigint> {
    const released = await this.log.transact(board, of.accountId, release({ ...of, at }), metadata);
    this.boards.tidy(of.accountId, released);
    const [event] = released.events;
    if (event?.type === 'ActivityReleased') {
      if (event.loan) await this.loans.releaseSoon(event.loan, metadata);
      return released.position;
    }
    // The board no longer has a replaced activity; its own stream has the loan on other boards.
    const { loan } = (await this.known(of.activityId)) ?? {};
    if (loan) await this.loans.release(loan, metadata);
    return released.position;
  }
}

const pick = ({ activityId, accountId, expiresAt, at }: Admitting) => ({
  activityId,
  accountId,
  expiresAt,
  at,
});
