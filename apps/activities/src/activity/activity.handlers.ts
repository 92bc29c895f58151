import {
  answer,
  type Answer,
  Bus,
  type Context,
  Handles,
  keyIsFree,
  KeyUsedUp,
  underKey,
} from '@carillon/bus';
import {
  Activities,
  activityLifetimeSeconds,
  AdmitPrompt,
  type AdmittedPrompt,
  type ChangedProps,
  type CommandKey,
  dismissalSeconds,
  EndActivity,
  type LiveActivityMutation,
  Push,
  StartActivity,
  UpdateActivity,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Instant, plus, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, isId, newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { Starter } from '../admission/starter.service';
import { admissionOf, admit, board, runningUnder } from '../board/board';
import { Commands } from '../command/commands.service';
import { isRunning, type Standing, standingAt } from '../status/standing';
import {
  type Activity,
  activity,
  type ActivityState,
  earlier,
  end,
  owned,
  type Remembered,
  update,
} from './activity';
import { atFirst, Mutations } from './mutations.service';
import { askedProps, begun, refuseTooLarge } from './props';

const starting = { apnsPriority: 10, priorityReason: 'start' } as const;
const ending = { apnsPriority: 10, priorityReason: 'end' } as const;

@Controller()
export class ActivityHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Starter) private readonly starter: Starter,
    @Inject(Commands) private readonly commands: Commands,
    @Inject(Mutations) private readonly mutations: Mutations,
  ) {}

  // --------------------------------------------------------------------------------------------------- start

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
    const deviceIds = await this.targets(input, context);
    refuseTooLarge(props);
    const metadata = metadataOf(context);
    const admitted = await this.log.transact(
      board,
      context.caller.accountId,
      admit({
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
      }),
      metadata,
    );
    this.starter.tidy(context.caller.accountId, admitted);
    const admission = admissionOf(admitted.state, id);
    if (!admission) throw new Error('An activity was admitted without a trace');
    const replaced = admission.replacedId ? await this.replace(admission.replacedId, context) : 0;
    const { activity: started, position } = await this.starter.begin(admission, metadata);
    if (admitted.events.length === 0) return this.startAgain(started, at, context);
    return this.mutations.done(
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
    return this.mutations.again({ activity: started, sequence: 1, ...starting }, started.startedAt, context);
  }

  /** Ends the activity whose place another one takes, and counts the devices that it was on. */
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

  private async targets(
    { deviceIds }: { readonly deviceIds?: string[] },
    context: Context,
  ): Promise<string[]> {
    const { value } = await this.bus.ask(Push.activityTargets, deviceIds ? { deviceIds } : {}, context);
    return value.deviceIds;
  }

  // ------------------------------------------------------------------------------------------------- prompts

  @Handles(Activities.admit)
  async admit(input: AdmitPrompt, context: Context): Promise<Answer<AdmittedPrompt>> {
    const { accountId, tokenId = '' } = context.caller;
    const id = deriveId('act', this.clock.ms(), Activities.admit.subject, input.prompt.id);
    const before = (await this.starter.admission(accountId, id)) ?? (await this.starter.find(id));
    if (before) return answer(admittedAs(before));
    const deviceIds = await this.targets(input, context);
    const { title, text, imageUrl, url, prompt, sourceName, expiresAt } = input;
    const admitted = await this.log.transact(
      board,
      accountId,
      admit({
        activityId: id,
        accountId,
        tokenId,
        sourceName,
        key: null,
        replace: false,
        props: askedProps({
          title,
          text,
          ...(imageUrl !== undefined && { imageUrl }),
          ...(url !== undefined && { url }),
        }),
        prompt: { ...prompt },
        deviceIds,
        fingerprint: null,
        expiresAt,
        at: this.clock.now(),
      }),
      metadataOf(context),
    );
    this.starter.tidy(accountId, admitted);
    const admission = admissionOf(admitted.state, id);
    if (!admission) throw new Error('A prompt was admitted without a trace');
    return answer(admittedAs(admission), admitted.position);
  }

  // -------------------------------------------------------------------------------------------------- change

  @Handles(Activities.update)
  async update(
    { identifier, props: changes = {}, priority = 'normal' }: UpdateActivity,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    if (!changesSomething(changes)) throw new Refused('input.empty_update');
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
    const found = owned(state, asked);
    const [event] = events;
    if (event?.type !== 'ActivityUpdated')
      return this.again(found, this.earlierOf(found, asked.key), context);
    return this.mutations.done({ ...event, activity: found, position, stands }, context);
  }

  @Handles(Activities.end)
  async end(
    { identifier, props: changes = {}, dismissAfterSeconds = dismissalSeconds.usual }: EndActivity,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    const asked = await this.asked(identifier, Activities.end.subject, context);
    const { stands } = asked;
    if (asked.before) return this.again(asked.found, asked.before, context);
    // Nothing is done, now or by a repetition: the key stays with an activity that is over.
    if (!isRunning(stands.status))
      return this.mutations.nothingDone(owned(await this.starter.find(asked.id), asked), context);
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
    const found = owned(state, asked);
    const [event] = events;
    if (event?.type === 'ActivityEnded') {
      const freed = await this.starter.release(found, at, metadata);
      const { sequence } = event;
      return this.mutations.done(
        { activity: found, sequence, position: freed > position ? freed : position, stands, ...ending },
        context,
      );
    }
    const before = earlier(found, asked.key, at);
    return before ? this.again(found, before, context) : this.mutations.nothingDone(found, context);
  }

  private again(
    found: Activity,
    before: Remembered,
    context: Context,
  ): Promise<Answer<LiveActivityMutation>> {
    return this.mutations.again({ ...before, activity: found }, before.at, context);
  }

  private earlierOf(found: Activity, key: CommandKey | null): Remembered {
    const before = earlier(found, key, this.clock.now());
    if (!before) throw new Error('An update left no trace');
    return before;
  }

  /** An activity that failed on every device is over, though nobody has ended it. */
  private refuseFailed(stands: Standing, { expiresAt }: Activity): void {
    const { status } = standingAt(stands, expiresAt, this.clock.now());
    if (status === 'failed') throw new Refused('activity.not_running', { status });
  }

  /** The activity that is meant and how it stands, who asks, and what the request's key made already. */
  private async asked(identifier: string, route: string, context: Context) {
    const { accountId, tokenId = null } = context.caller;
    const meant = this.meant(identifier, context);
    const claimed = context.idempotency
      ? await this.commands.claim(route, context.idempotency, context, meant)
      : null;
    const { found, stands } =
      !claimed || claimed.first
        ? await meant
        : await this.standing(await this.starter.find(claimed.activityId), claimed.activityId, context);
    const key = claimed?.key ?? null;
    const before = earlier(found, key, this.clock.now());
    return { id: found.activityId, accountId, tokenId, key, claimed, found, stands, before };
  }

  private async meant(identifier: string, context: Context) {
    const id = await this.idOf(identifier, context);
    // Whose it is never changes. What else is behind the log, the decision finds out.
    return this.standing(await this.starter.known(id), id, context);
  }

  private async standing(state: ActivityState, id: string, { caller }: Context) {
    const found = owned(state, { id, accountId: caller.accountId, tokenId: caller.tokenId ?? null });
    return { found, stands: await this.mutations.standing(found) };
  }

  /** An id first; else what runs under this key of the token; else the latest that did. */
  private async idOf(identifier: string, context: Context): Promise<string> {
    const { accountId, tokenId } = context.caller;
    if (isId(identifier, 'act') && (await this.starter.known(identifier))?.activityId === identifier)
      return identifier;
    if (tokenId === undefined) throw new Refused('activity.not_found');
    const { state } = await this.log.load(board, accountId);
    const running = runningUnder(state, { tokenId, key: identifier, at: this.clock.now() });
    if (running) {
      // Whoever admitted it may have died before it began.
      if (!(await this.starter.known(running.activityId)))
        await this.starter.begin(running, metadataOf(context));
      return running.activityId;
    }
    // What ended a moment ago is not missing, whoever ended it.
    await this.projections.reached('activities', String(await this.log.store.head()));
    const [latest] = await this.database.query<{ activity_id: string }>(
      `SELECT activity_id FROM activities WHERE token_id = $1 AND key = $2 AND account_id = $3
       ORDER BY created_at DESC, activity_id DESC LIMIT 1`,
      [tokenId, identifier, accountId],
    );
    if (!latest) throw new Refused('activity.not_found');
    return latest.activity_id;
  }
}

const changesSomething = (changes: ChangedProps): boolean =>
  Object.values(changes).some((value) => value !== undefined);

const admittedAs = ({
  activityId,
  deviceIds,
}: {
  readonly activityId: string;
  readonly deviceIds: readonly string[];
}): AdmittedPrompt => ({ activityId, deviceIds: [...deviceIds], queued: deviceIds.length });

function refuseContradictions({ key, replace, deviceIds, deviceGroupId }: StartActivity): void {
  const issue = (path: string, message: string): never => {
    throw new Refused('input.invalid', { issues: [{ path, message, code: 'invalid_value' }] });
  };
  if (replace && key === undefined) issue('replace', 'needs a key');
  if (deviceIds && deviceGroupId) issue('deviceGroupId', 'cannot be combined with deviceIds');
}
