import { Audience, PushOutcomes, type Reached, saidOfQuiet } from '@carillon/push-client';
import {
  answer as answerWith,
  type Answer,
  Bus,
  type Context,
  createOnce,
  Handles,
  insistOnSameUse,
  mayBeRepetition,
} from '@carillon/bus';
import {
  Activities,
  type AdmittedPrompt,
  AnswerInteraction,
  CreateInteraction,
  type EndedInteraction,
  type EscalatesTo,
  InteractionById,
  type InteractionCreated,
  type InteractionEndedSignal,
  type InteractionEvent,
  Interactions,
  Oncall,
  type OneEndedInteraction,
  type OneInteraction,
  Push,
  recipientsOf,
  Services,
  type SessionInteraction,
  Webhooks,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decide, type Instant, refusedAs, Refused } from '@carillon/eventing';
import { Clock, isKept, keepDays, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import {
  answer,
  ask,
  askAgain,
  type AskedPrompt,
  type PromptCreation,
  cancel,
  digestOf,
  escalationOf,
  expiryOf,
  prompt,
  type Prompt,
  seenOf,
  promptView,
  teamFor,
  type Viewer,
  visibleTo,
} from './prompt';
import { Responders } from './responders.client';
import { Teammates } from './teammates.client';

const nobody: Reached = { deviceIds: [] };
const answerable = 'The prompt can be answered in the app or the console.';

@Controller()
export class PromptHandlers {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Audience) private readonly audience: Audience,
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
    @Inject(Teammates) private readonly teammates: Teammates,
    @Inject(Responders) private readonly responders: Responders,
  ) {}

  @Handles(Interactions.ask)
  async ask(input: CreateInteraction, context: Context): Promise<Answer<InteractionCreated>> {
    const { subject } = Interactions.ask;
    return createOnce(context, {
      idOf: (...parts) => deriveId('int', this.clock.ms(), subject, context.caller.tokenId ?? '', ...parts),
      attempt: (id) => this.askAs(id, input, context),
      exists: (id) => this.isThere(id),
    });
  }

  @Handles(Interactions.get)
  async get({ id }: InteractionById, context: Context): Promise<Answer<OneInteraction>> {
    const asked = await this.visible(id, context);
    await this.projections.reached('prompts', context.after, asked.accountId);
    return answerWith({ interaction: await this.shown(asked) });
  }

  @Handles(Interactions.show)
  async show(
    { id }: InteractionById,
    context: Context,
  ): Promise<Answer<{ interaction: SessionInteraction }>> {
    const asked = await this.visible(id, context);
    await this.projections.reached('prompts', context.after, asked.accountId);
    const { sourceName, sourceImageUrl, projectId } = asked;
    const seen = { ...(await this.shown(asked)), sourceName: sourceName ?? '', sourceImageUrl, projectId };
    const [interaction] = await this.responders.named([seen], context);
    return answerWith({ interaction: interaction! });
  }

  @Handles(Interactions.answer)
  async answer(
    { id, answer: given, actionDigest, deviceId }: AnswerInteraction,
    context: Context,
  ): Promise<Answer<OneEndedInteraction>> {
    await this.visible(id, context);
    if (deviceId !== undefined) await this.bus.ask(Push.device, { id: deviceId }, context);
    const decide = answer({
      viewer: viewerOf(id, context),
      answer: given,
      actionDigest,
      deviceId: deviceId ?? null,
      at: this.clock.now(),
    });
    return this.end(id, decide, context);
  }

  @Handles(Interactions.cancel)
  async cancel({ id }: InteractionById, context: Context): Promise<Answer<OneEndedInteraction>> {
    await this.visible(id, context);
    return this.end(id, cancel({ viewer: viewerOf(id, context), at: this.clock.now() }), context);
  }

  private async end(
    id: string,
    decide: Decide<Prompt, InteractionEvent>,
    context: Context,
  ): Promise<Answer<OneEndedInteraction>> {
    const { state, events, position } = await this.log.transact(
      prompt,
      streamTail(id),
      decide,
      metadataOf(context),
    );
    if (!state) throw new Error('A prompt ended without a trace');
    const signal: InteractionEndedSignal = { position: String(position) };
    if (events.length > 0) this.bus.signal('interaction.ended', id, signal);
    // The count of accepting devices is in the rows; if they lag behind, the end is recorded all the same.
    if (context.after !== undefined)
      await this.projections.caughtUp('prompts', BigInt(context.after), state.accountId);
    return answerWith({ interaction: await this.ended(state, context) }, position);
  }

  /** An agent learns no names. Where they cannot be looked up they are left out: the prompt has ended all the same. */
  private async ended(asked: AskedPrompt, context: Context): Promise<EndedInteraction> {
    const interaction = await this.shown(asked);
    if (context.caller.tokenId) return interaction;
    const [named = interaction] = await this.responders.named([interaction], context).catch(() => []);
    return named;
  }

  /** Asks the prompt with this id, or repeats the first answer when the same key has already used the id. */
  private async askAs(
    id: string,
    input: CreateInteraction,
    context: Context,
  ): Promise<Answer<InteractionCreated>> {
    const at = this.clock.now();
    const fingerprint = context.idempotency?.fingerprint ?? null;
    const asking = await this.creationOf(id, input, at, context);
    const append = () =>
      this.log.transact(
        prompt,
        streamTail(id),
        (found) => {
          insistOnSameUse(found?.askedAt, at);
          return asking ? ask(asking)(found) : askAgain({ fingerprint })(found);
        },
        metadataOf(context),
        { expectNew: true },
      );
    return this.outcomes.answer(
      id,
      {
        append,
        pushOf: ({ interactionId, presentation, deviceIds, askedAt }) =>
          presentation === 'notification' && deviceIds.length > 0
            ? { subjectId: interactionId, since: askedAt }
            : undefined,
        shown: (asked, first) => this.created(asked, first, first),
        // The repeated answer shows the prompt's present state.
        viewAgain: async (asked, first) =>
          this.created(asked, Math.max(first, await this.accepted(asked)), first),
      },
      context,
    );
  }

  private created(asked: AskedPrompt, acceptedNow: number, acceptedFirst: number): InteractionCreated {
    const { deviceIds, quietDevices = 0 } = asked;
    const created = {
      interaction: promptView(asked, acceptedNow, this.clock.now()),
      accepted: acceptedFirst,
    };
    if (asked.presentation === 'live_activity')
      return {
        ...created,
        queued: asked.deviceIds.length,
        ...(asked.liveActivityId !== null && { liveActivityId: asked.liveActivityId }),
        ...(quietDevices > 0 && { message: saidOfQuiet(quietDevices) }),
      };
    if (quietDevices > 0) return { ...created, message: `${saidOfQuiet(quietDevices)} ${answerable}` };
    return deviceIds.length === 0 ? { ...created, message: `No active device. ${answerable}` } : created;
  }

  /**
   * Collects everything that the prompt needs. Undefined when that is no longer available but the prompt exists: then
   * the request is a repetition.
   */
  private async creationOf(
    id: string,
    input: CreateInteraction,
    at: Instant,
    context: Context,
  ): Promise<PromptCreation | undefined> {
    const { accountId, tokenId = '', tokenName = 'Agent' } = context.caller;
    try {
      const expiresAt = expiryOf(input, at);
      const escalatesTo = escalationOf(input, at, expiresAt);
      await this.insistOnGroup(escalatesTo, context);
      const service = await this.serviceOf(input, context);
      const source = service
        ? { name: service.title, imageUrl: service.imageUrl }
        : { name: tokenName, imageUrl: null };
      const isActivity = input.presentation === 'live_activity';
      const [webhookIds, reached, teamId] = await Promise.all([
        this.webhooks(input, service?.defaultReplyWebhookId ?? null, context),
        isActivity ? nobody : this.audience.of(input, context, input.urgent),
        isActivity ? this.audience.teamOf(input, context) : undefined,
      ]);
      // Capacity is reserved last, and not for a request that was answered before.
      if (isActivity && mayBeRepetition(context) && (await this.isThere(id))) return undefined;
      const shownBy = isActivity
        ? await this.admit(id, input, source.name, expiresAt, context)
        : { ...reached, activityId: null };
      return {
        id,
        accountId,
        tokenId,
        source,
        input,
        webhookIds,
        deviceIds: shownBy.deviceIds,
        quiet: shownBy.quiet,
        ...recipientsOf(shownBy),
        teamId: reached.teamId ?? teamId,
        liveActivityId: shownBy.activityId,
        escalatesTo,
        fingerprint: context.idempotency?.fingerprint ?? null,
        at,
        expiresAt,
      };
    } catch (error) {
      if (mayBeRepetition(context) && error instanceof Refused && (await this.isThere(id))) return undefined;
      throw error;
    }
  }

  private async serviceOf({ serviceId }: CreateInteraction, context: Context) {
    if (serviceId === undefined) return undefined;
    const asked = this.bus.ask(Services.get, { id: serviceId }, context);
    // The other service answers for an id in the path; here the id is in the body, hence another code.
    return (await refusedAs('service.unknown', 'service.not_found', asked)).value.service;
  }

  /** Refuses unless the caller is a member of the paged group's team. */
  private async insistOnGroup(escalatesTo: EscalatesTo | undefined, context: Context): Promise<void> {
    if (!escalatesTo) return;
    const asked = this.bus.ask(Oncall.get, { groupId: escalatesTo.groupId }, context);
    await refusedAs('oncall_group.unknown', 'oncall_group.not_found', asked);
  }

  private async webhooks(
    { webhookId }: CreateInteraction,
    serviceDefaultId: string | null,
    context: Context,
  ): Promise<readonly string[]> {
    const asked = {
      ...(webhookId !== undefined && { webhookId }),
      ...(serviceDefaultId !== null && { serviceDefaultId }),
    };
    return (await this.bus.ask(Webhooks.targets, asked, context)).value.webhookIds;
  }

  /** Reserves capacity for the activity that shows the prompt. The activity starts when the prompt is in the log. */
  private async admit(
    id: string,
    input: CreateInteraction,
    sourceName: string,
    expiresAt: Instant,
    context: Context,
  ): Promise<AdmittedPrompt> {
    const { kind, primaryLabel = null, secondaryLabel = null, title, imageUrl, url } = input;
    const { deviceIds, deviceGroupId, urgent } = input;
    const actionDigest = digestOf(seenOf(input));
    const { value } = await this.bus.ask(
      Activities.admit,
      {
        prompt: { id, kind, primaryLabel, secondaryLabel, actionDigest },
        title,
        text: input.prompt,
        sourceName,
        expiresAt,
        ...(imageUrl && { imageUrl }),
        ...(url && { url }),
        ...(deviceIds && { deviceIds }),
        ...(deviceGroupId !== undefined && { deviceGroupId }),
        ...(urgent && { urgent }),
      },
      context,
    );
    return value;
  }

  /**
   * Also refuses with `interaction.not_found` a prompt that is not kept any more, and a recipient who has left the team
   * of the device group.
   */
  private async visible(id: string, context: Context): Promise<AskedPrompt> {
    const asked = visibleTo(await this.find(id), viewerOf(id, context));
    if (!isKept(asked.askedAt, this.clock.now(), this.keptDays)) throw new Refused('interaction.not_found');
    const teamId = teamFor(asked, context.caller.accountId);
    if (teamId !== undefined && !(await this.teammates.isOneOf(teamId, context)))
      throw new Refused('interaction.not_found');
    return asked;
  }

  private async shown(asked: AskedPrompt) {
    return promptView(asked, await this.accepted(asked), this.clock.now());
  }

  /** The number of devices whose provider has accepted the prompt, according to the rows. */
  private async accepted({ interactionId, askedAt }: AskedPrompt): Promise<number> {
    const [row] = await this.database.query<{ accepted: number }>(
      `SELECT accepted FROM prompts WHERE interaction_id = $1 AND created_at = $2 LIMIT 1`,
      [interactionId, askedAt],
    );
    return row?.accepted ?? 0;
  }

  private async find(id: string): Promise<Prompt> {
    return (await this.log.load(prompt, streamTail(id))).state;
  }

  private isThere(id: string): Promise<boolean> {
    return this.log.exists(prompt, streamTail(id));
  }
}

const viewerOf = (id: string, { caller }: Context): Viewer => ({
  id,
  accountId: caller.accountId,
  tokenId: caller.tokenId,
});
