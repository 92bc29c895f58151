import { Log } from '@carillon/event-store';
import { type EventMetadata, type Instant } from '@carillon/eventing';
import { LOGGER, type Logger } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { type Activity, activity, begin } from '../activity/activity';
import {
  type Admission,
  admissionOf,
  admit,
  type Admitting,
  board,
  type Board,
  cutOf,
  release,
} from '../board/board';

export interface Admitted {
  readonly admission: Admission;
  /** False when it had its room before. */
  readonly isNew: boolean;
  readonly position: bigint;
}

export interface Begun {
  readonly activity: Activity;
  readonly position: bigint;
}

/** The steps between the board of an account and the stream of one activity, each of them repeatable. */
@Injectable()
export class Starter {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async find(activityId: string): Promise<Activity | null> {
    return (await this.log.load(activity, streamTail(activityId))).state;
  }

  /** As `find`, but may be behind the log: for what never changes. */
  async known(activityId: string): Promise<Activity | null> {
    return this.log.known(activity, streamTail(activityId));
  }

  async admission(accountId: string, activityId: string): Promise<Admission | undefined> {
    return admissionOf((await this.log.load(board, accountId)).state, activityId);
  }

  /** Gives it room; repeated under its id, it has its room already. */
  async admit(admitting: Admitting, metadata: EventMetadata): Promise<Admitted> {
    const admitted = await this.log.transact(board, admitting.accountId, admit(admitting), metadata);
    this.tidy(admitting.accountId, admitted);
    const admission = admissionOf(admitted.state, admitting.activityId);
    if (!admission) throw new Error('An activity was admitted without a trace');
    return { admission, isNew: admitted.events.length > 0, position: admitted.position };
  }

  /** Begins it as it was admitted. */
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

  /** Frees its room; nothing when it has none any more. */
  async release(
    of: { readonly activityId: string; readonly accountId: string },
    at: Instant,
    metadata: EventMetadata,
  ): Promise<bigint> {
    const released = await this.log.transact(board, of.accountId, release({ ...of, at }), metadata);
    this.tidy(of.accountId, released);
    return released.position;
  }

  /** Cuts off what a board trails. Nobody waits for that. */
  private tidy(
    accountId: string,
    { state, revision }: { readonly state: Board; readonly revision: bigint },
  ): void {
    const cut = cutOf(state, revision);
    if (cut === undefined) return;
    this.log.store
      .truncateBefore(`${board.category}-${accountId}`, cut)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'A board was not cut'));
  }
}
