import { Audience } from '@carillon/push-client';
import { type Answer, type Context, createOnce, Handles, insistOnSameUse } from '@carillon/bus';
import {
  Activities,
  activityLifetimeSeconds,
  type LiveActivityMutation,
  StartActivity,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { type Instant, plus, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Activity, activity, end } from '../activity/activity';
import { begun, refuseTooLarge } from '../activity/props';
import { Starter } from '../admission/starter.service';
import { Answers } from '../answer/answers.service';
import { atFirst } from '../status/derived-status';

const starting = { apnsPriority: 10, priorityReason: 'start' } as const;

/** Handles starts: reserves capacity on the board, begins the activity, then answers. */
@Controller()
export class ActivityStartHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Starter) private readonly starter: Starter,
    @Inject(Audience) private readonly audience: Audience,
    @Inject(Answers) private readonly answers: Answers,
  ) {}

  @Handles(Activities.start)
  async start(input: StartActivity, context: Context): Promise<Answer<LiveActivityMutation>> {
    const { subject } = Activities.start;
    return createOnce(context, {
      idOf: (...parts) => deriveId('act', this.clock.ms(), subject, context.caller.tokenId ?? '', ...parts),
      attempt: (id) => this.startAs(id, input, context),
      exists: (id) => this.log.exists(activity, streamTail(id)),
    });
  }

  /** Starts the activity with this id, or repeats the first answer when the same key has already used the id. */
  private async startAs(
    id: string,
    input: StartActivity,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    const at = this.clock.now();
    const before = context.idempotency ? await this.starter.findKept(id) : null;
    if (before) return this.startAgain(before, at, context);

    const props = begun(input.props);
    // Urgent for the quiet hours: without a prompt it has no sound.
    const { guests, ...reached } = await this.audience.ofActivity(input, context, true);
    refuseTooLarge(props);
    const metadata = metadataOf(context);
    const { admission, isNew } = await this.starter.admit(
      {
        activityId: id,
        accountId: context.caller.accountId,
        tokenId: context.caller.tokenId ?? '',
        sourceName: context.caller.tokenName ?? 'Agent',
        key: input.key ?? null,
        replace: input.replace ?? false,
        props,
        prompt: null,
        ...reached,
        fingerprint: context.idempotency?.fingerprint ?? null,
        expiresAt: plus(at, (input.expiresInSeconds ?? activityLifetimeSeconds.usual) * 1000),
        at,
      },
      guests,
      metadata,
    );
    const replaced = admission.replacedId ? await this.replace(admission.replacedId, context) : 0;
    const { activity: started, position } = await this.starter.begin(admission, metadata);
    if (!isNew) return this.startAgain(started, at, context);
    return this.answers.done(
      { activity: started, sequence: 1, position, replaced, stands: atFirst(started), ...starting },
      context,
    );
  }

  private async startAgain(
    started: Activity,
    at: Instant,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    insistOnSameUse(started.startedAt, at);
    if (started.fingerprint !== (context.idempotency?.fingerprint ?? null))
      throw new Refused('idempotency.key_reused');
    return this.answers.again({ activity: started, sequence: 1, ...starting }, started.startedAt, context);
  }

  /** Ends a replaced activity, and returns its number of devices. */
  private async replace(id: string, context: Context): Promise<number> {
    if (!(await this.starter.find(id))) return 0;
    const { state } = await this.log.transact(
      activity,
      streamTail(id),
      end({
        id,
        accountId: context.caller.accountId,
        tokenId: null,
        changes: {},
        dismissAfterSeconds: 0,
        reason: 'replaced',
        key: null,
        at: this.clock.now(),
      }),
      metadataOf(context),
    );
    // Its own board has reassigned its capacity; capacity lent by other boards is released now.
    if (state?.loan) await this.starter.release(state, this.clock.now(), metadataOf(context));
    return state?.deviceIds.length ?? 0;
  }
}
