import { type Answer, type Context, Handles } from '@carillon/bus';
import {
  Activities,
  type CommandKey,
  dismissalSeconds,
  EndActivity,
  type LiveActivityMutation,
  UpdateActivity,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, isKept, keepDays, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import {
  type Activity,
  activity,
  type ActivityState,
  earlier,
  end,
  visible,
  type Remembered,
  update,
} from '../activity/activity';
import { Starter } from '../admission/starter.service';
import { Answers } from '../answer/answers.service';
import { Commands } from '../command/commands.service';
import { isRunning, type DerivedStatus, statusAt } from '../status/derived-status';
import { DerivedStatuses } from '../status/derived-statuses.service';
import { Identifiers } from './identifiers.service';

const ending = { apnsPriority: 10, priorityReason: 'end' } as const;

/** Handles changes, including ends: finds the activity, claims the key, makes the change, answers. */
@Controller()
export class ActivityChangeHandlers {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Starter) private readonly starter: Starter,
    @Inject(Identifiers) private readonly identifiers: Identifiers,
    @Inject(Commands) private readonly commands: Commands,
    @Inject(DerivedStatuses) private readonly statuses: DerivedStatuses,
    @Inject(Answers) private readonly answers: Answers,
  ) {}

  @Handles(Activities.update)
  async update(
    { identifier, props: changes = {}, priority = 'normal' }: UpdateActivity,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    const asked = await this.asked(identifier, Activities.update.subject, context);
    const { stands } = asked;
    if (asked.before) return this.again(asked.found, asked.before, context);
    const { state, events, position } = await this.commands.perform(asked.claimed, context, () => {
      this.refuseFailed(stands, asked.found);
      return this.log.transact(
        activity,
        streamTail(asked.id),
        update({ ...asked, changes, priority, at: this.clock.now() }),
        metadataOf(context),
      );
    });
    const found = visible(state, asked);
    const [event] = events;
    if (event?.type !== 'ActivityUpdated')
      return this.again(found, this.earlierOf(found, asked.key), context);
    return this.answers.done({ ...event, activity: found, position, stands }, context);
  }

  @Handles(Activities.end)
  async end(
    { identifier, props: changes = {}, dismissAfterSeconds = dismissalSeconds.usual }: EndActivity,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    const asked = await this.asked(identifier, Activities.end.subject, context);
    const { stands } = asked;
    if (asked.before) return this.again(asked.found, asked.before, context);
    // Neither this request nor a repetition does anything: the key stays claimed for an ended activity.
    if (!isRunning(stands.status))
      return this.answers.nothingDone(visible(await this.starter.find(asked.id), asked), context);
    const at = this.clock.now();
    const metadata = metadataOf(context);
    const { state, events, position } = await this.commands.perform(asked.claimed, context, () =>
      this.log.transact(
        activity,
        streamTail(asked.id),
        end({ ...asked, changes, dismissAfterSeconds, reason: 'ended', at }),
        metadata,
      ),
    );
    const found = visible(state, asked);
    const [event] = events;
    if (event?.type === 'ActivityEnded') {
      const freed = await this.starter.release(found, at, metadata);
      const { sequence } = event;
      return this.answers.done(
        { activity: found, sequence, position: freed > position ? freed : position, stands, ...ending },
        context,
      );
    }
    const before = earlier(found, asked.key, at);
    return before ? this.again(found, before, context) : this.answers.nothingDone(found, context);
  }

  private again(
    found: Activity,
    before: Remembered,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    return this.answers.again({ ...before, activity: found }, before.at, context);
  }

  private earlierOf(found: Activity, key: CommandKey | null): Remembered {
    const before = earlier(found, key, this.clock.now());
    if (!before) throw new Error('An update left no trace');
    return before;
  }

  /** Refuses changes to an activity that failed on every device: it is over without an end. */
  private refuseFailed(stands: DerivedStatus, { expiresAt }: Activity): void {
    const { status } = statusAt(stands, expiresAt, this.clock.now());
    if (status === 'failed') throw new Refused('activity.not_running', { status });
  }

  /** The requested activity with its status, the requester, and the earlier change of the request's key. */
  private async asked(identifier: string, route: string, context: Context) {
    const { accountId, tokenId = null } = context.caller;
    const meant = this.meant(identifier, context);
    const claimed = context.idempotency
      ? await this.commands.claim(route, context.idempotency, context, meant)
      : null;
    const { found, stands } =
      !claimed || claimed.first
        ? await meant
        : await this.withStatus(await this.starter.find(claimed.activityId), claimed.activityId, context);
    const key = claimed?.key ?? null;
    const before = earlier(found, key, this.clock.now());
    return { id: found.activityId, accountId, tokenId, key, claimed, found, stands, before };
  }

  private async meant(identifier: string, context: Context) {
    const id = await this.identifiers.idOf(identifier, context);
    // The owner never changes. The decision checks the other fields, which may lag behind the log.
    return this.withStatus(await this.starter.known(id), id, context);
  }

  private async withStatus(state: ActivityState, id: string, { caller }: Context) {
    const found = visible(state, { id, accountId: caller.accountId, tokenId: caller.tokenId ?? null });
    if (!isKept(found.startedAt, this.clock.now(), this.keptDays)) throw new Refused('activity.not_found');
    return { found, stands: await this.statuses.of(found) };
  }
}
