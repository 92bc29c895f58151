import { answer, type Answer, type Context } from '@carillon/bus';
import {
  type GrantedPriority,
  type LanesReport,
  type LiveActivity,
  type LiveActivityMutation,
  overflowMessage,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { type Instant, millis, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { Activity } from '../activity/activity';
import { Lanes } from '../lane/lanes.client';
import { activityView } from '../status/view';
import { type DerivedStatus, withItsEnd } from '../status/derived-status';
import { DerivedStatuses } from '../status/derived-statuses.service';
import { countsOf, outcome, type MutationOutcome, record } from './outcome';

/** After this time the first request's process is considered crashed, and the replay gives the answer. */
const overdueMs = 10_000;

interface Done extends GrantedPriority {
  readonly activity: Activity;
  readonly sequence: number;
  readonly position: bigint;
  /** The activity's status on its devices before the change. */
  readonly stands: DerivedStatus;
  /** The number of devices of the replaced activity. */
  readonly replaced?: number;
}

/** Builds the answers to changes from the stored change and the present lane report of push. */
@Injectable()
export class Answers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(DerivedStatuses) private readonly statuses: DerivedStatuses,
  ) {}

  /** The answer to a change that was just stored. The answer to a request with an idempotency key is recorded. */
  async done(done: Done, context: Context): Promise<Answer<LiveActivityMutation>> {
    const { activity, sequence, position } = done;
    const report = await this.lanes.report(activity.activityId, sequence, position, context);
    const told = this.outcomeOf(done, report);
    if (context.idempotency) await this.keep(told, context);
    return answer(this.told(done, told, report, done.stands), position);
  }

  /** Repeats the answer of the earlier request with this idempotency key. */
  async again(
    done: Omit<Done, 'position' | 'stands'>,
    askedAt: Instant,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    const { activity, sequence } = done;
    const report = this.lanes.report(activity.activityId, activity.sequence, 0n, context);
    let told = (await this.log.load(outcome, outcomeStream(activity, sequence))).state;
    if (!told) {
      if (millis(this.clock.now()) - millis(askedAt) <= overdueMs)
        throw new Refused('idempotency.in_progress');
      const of = await this.lanes.report(activity.activityId, sequence, 0n, context);
      told = await this.keep(this.outcomeOf(done, of), context);
    }
    const stands = await this.statuses.of(activity);
    return answer({ ...this.told(done, told, await report, stands), idempotent: true });
  }

  /** The answer to a request to end an activity that no longer runs. */
  async nothingDone(activity: Activity, context: Context): Promise<Answer<LiveActivityMutation>> {
    const report = await this.lanes.report(activity.activityId, activity.sequence, 0n, context);
    return answer({
      activity: this.shown(activity, report, await this.statuses.of(activity)),
      accepted: 0,
      failed: 0,
      queued: 0,
      idempotent: true,
    });
  }

  private outcomeOf(
    { activity, sequence, replaced = 0 }: Omit<Done, 'position' | 'stands'>,
    report: LanesReport | undefined,
  ): MutationOutcome {
    return {
      activityId: activity.activityId,
      accountId: activity.accountId,
      sequence,
      ...countsOf(report, activity.deviceIds.length),
      replaced,
      message: (activity.props && overflowMessage(activity.props)) ?? null,
      answeredAt: this.clock.now(),
    };
  }

  private async keep(told: MutationOutcome, context: Context): Promise<MutationOutcome> {
    const { state } = await this.log.transact(
      outcome,
      outcomeStream(told, told.sequence),
      record(told),
      metadataOf(context),
      { expectNew: true },
    );
    return state ?? told;
  }

  private told(
    { activity, apnsPriority, priorityReason }: Omit<Done, 'position' | 'stands'>,
    { accepted, failed, queued, superseded, replaced, message }: MutationOutcome,
    report: LanesReport | undefined,
    stands: DerivedStatus,
  ): LiveActivityMutation {
    return {
      activity: this.shown(activity, report, stands),
      accepted,
      failed,
      apnsPriority,
      priorityReason,
      queued,
      ...(superseded > 0 && { superseded }),
      ...(replaced > 0 && { replaced }),
      ...(message !== null && { message }),
    };
  }

  private shown(activity: Activity, report: LanesReport | undefined, stands: DerivedStatus): LiveActivity {
    const { startedAt, ...kept } = activity;
    const whole = activityView(
      { ...kept, createdAt: startedAt },
      withItsEnd(activity, stands),
      report,
      this.clock.now(),
    );
    return report ? { ...whole, accepted: report.accepted, failed: report.failed } : whole;
  }
}

const outcomeStream = ({ activityId }: { readonly activityId: string }, sequence: number): string =>
  `${streamTail(activityId)}.${sequence}`;
