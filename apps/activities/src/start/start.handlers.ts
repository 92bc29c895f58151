import { type Answer, type Context, Handles, keyIsFree, KeyUsedUp, underKey } from '@carillon/bus';
import {
  Activities,
  activityLifetimeSeconds,
  type LiveActivityMutation,
  StartActivity,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { type Instant, plus, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Activity, activity, end } from '../activity/activity';
import { begun, refuseTooLarge } from '../activity/props';
import { Starter } from '../admission/starter.service';
import { Answers } from '../answer/answers.service';
import { atFirst } from '../status/standing';
import { Targets } from './targets.client';

const starting = { apnsPriority: 10, priorityReason: 'start' } as const;

/** Starts: room on the board first, then the activity, then its answer. */
@Controller()
export class StartHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Starter) private readonly starter: Starter,
    @Inject(Targets) private readonly targets: Targets,
    @Inject(Answers) private readonly answers: Answers,
  ) {}

  @Handles(Activities.start)
  async start(input: StartActivity, context: Context): Promise<Answer<LiveActivityMutation>> {
    refuseContradictions(input);
    const { idempotency } = context;
    if (!idempotency) return this.startAs(newId('act', this.clock.ms()), input, context);
    return underKey({
      idOf: (generation) =>
        deriveId(
          'act',
          this.clock.ms(),
          Activities.start.subject,
          context.caller.tokenId ?? '',
          idempotency.key,
          String(generation),
        ),
      attempt: (id) => this.startAs(id, input, context),
      exists: async (id) => (await this.starter.find(id)) !== null,
    });
  }

  /** Starts it under this id, or answers as the first request did when the id was taken by the same key. */
  private async startAs(
    id: string,
    input: StartActivity,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    const at = this.clock.now();
    const before = context.idempotency ? await this.starter.find(id) : null;
    if (before) return this.startAgain(before, at, context);

    const props = begun(input.props);
    if (input.deviceGroupId) throw new Refused('device_group.not_found');
    const deviceIds = await this.targets.of(input.deviceIds, context);
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
        deviceIds,
        fingerprint: context.idempotency?.fingerprint ?? null,
        expiresAt: plus(at, (input.expiresInSeconds ?? activityLifetimeSeconds.usual) * 1000),
        at,
      },
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
    if (keyIsFree(started.startedAt, at)) throw new KeyUsedUp();
    if (started.fingerprint !== (context.idempotency?.fingerprint ?? null))
      throw new Refused('idempotency.key_reused');
    return this.answers.again({ activity: started, sequence: 1, ...starting }, started.startedAt, context);
  }

  /** Ends the activity whose room another one takes, and counts the devices that it was on. */
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
    return state?.deviceIds.length ?? 0;
  }
}

function refuseContradictions({ key, replace, deviceIds, deviceGroupId }: StartActivity): void {
  const issue = (path: string, message: string): never => {
    throw new Refused('input.invalid', { issues: [{ path, message, code: 'invalid_value' }] });
  };
  if (replace && key === undefined) issue('replace', 'needs a key');
  if (deviceIds && deviceGroupId) issue('deviceGroupId', 'cannot be combined with deviceIds');
}
