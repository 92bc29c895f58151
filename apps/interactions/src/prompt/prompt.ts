import {
  type AnsweredStatus,
  type CreateInteraction,
  endOf,
  type EscalatesTo,
  type Interaction,
  type InteractionAsked,
  type InteractionEnded,
  type InteractionEvent,
  type PromptKind,
  ownersOf,
  type PromptStatus,
  recipientsOf,
} from '@carillon/contracts';
import {
  type Decider,
  type Decision,
  type Instant,
  isBefore,
  millis,
  plus,
  Refused,
} from '@carillon/eventing';
import { fingerprint } from '@carillon/signing';

/** The state of one prompt; null before it was asked. */
export type Prompt = AskedPrompt | null;

export interface AskedPrompt extends Omit<InteractionAsked, 'type'> {
  readonly end: InteractionEnded | null;
}

export const prompt: Decider<Prompt, InteractionEvent> = {
  category: 'interaction',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'InteractionAsked': {
        const { type: _type, ...asked } = event;
        return { ...asked, end: null };
      }
      case 'InteractionAnswered':
      case 'InteractionCanceled':
      case 'InteractionExpired':
        return state && { ...state, end: event };
    }
  },
  personal: {
    InteractionAsked: [
      'title',
      'prompt',
      'choices',
      'primaryLabel',
      'secondaryLabel',
      'imageUrl',
      'url',
      'sourceName',
      'sourceImageUrl',
      'projectName',
    ],
    InteractionAnswered: ['response'],
    InteractionCanceled: [],
    InteractionExpired: [],
  },
};

/** The status at a given time: a prompt expires at `expiresAt`, even before the expiry is recorded. */
export function statusAt({ end, expiresAt }: AskedPrompt, at: Instant): PromptStatus {
  if (end) return endOf(end).status;
  return !isBefore(at, expiresAt) ? 'expired' : 'pending';
}

/** The content that determines what a person sees. */
type PromptText = Pick<
  InteractionAsked,
  'kind' | 'title' | 'prompt' | 'choices' | 'primaryLabel' | 'secondaryLabel' | 'url' | 'imageUrl'
>;

/** The digest that an answer must include. A caller can compute it from the prompt's view. */
export const digestOf = ({
  kind,
  title,
  prompt: question,
  choices,
  primaryLabel,
  secondaryLabel,
  url,
  imageUrl,
}: PromptText): string =>
  `sha256:${fingerprint({ kind, title, prompt: question, choices, primaryLabel, secondaryLabel, url, imageUrl })}`;

const second = 1_000;
const defaultSeconds = 3_600;
const leastSeconds = 30;
const maxSeconds = { notification: 604_800, live_activity: 28_800 } as const;

/** When the prompt expires. Refuses with `input.invalid` when that is too soon or too late. */
export function expiryOf(
  { expiresInSeconds, expiresAt, presentation = 'notification' }: CreateInteraction,
  at: Instant,
): Instant {
  const max = maxSeconds[presentation];
  if (expiresAt === undefined) {
    const seconds = expiresInSeconds ?? defaultSeconds;
    if (seconds > max) throw invalid('expiresInSeconds', `must be at most ${max}`, 'too_big');
    return plus(at, seconds * second);
  }
  const ahead = millis(expiresAt) - millis(at);
  if (ahead < leastSeconds * second)
    throw invalid('expiresAt', `must be at least ${leastSeconds} seconds from now`);
  if (ahead > max * second) throw invalid('expiresAt', `must be at most ${max} seconds from now`);
  return expiresAt;
}

/** The group to page and when, if requested. Refuses with `input.invalid` when the prompt expires before that. */
export function escalationOf(
  { escalateTo }: CreateInteraction,
  at: Instant,
  expiresAt: Instant,
): EscalatesTo | undefined {
  if (!escalateTo) return undefined;
  const { groupId, afterSeconds } = escalateTo;
  const due = plus(at, afterSeconds * second);
  if (!isBefore(due, expiresAt))
    throw invalid('escalateTo.afterSeconds', 'must be before the prompt expires');
  return { groupId, at: due };
}

const invalid = (path: string, message: string, code = 'invalid_value'): Refused =>
  new Refused('input.invalid', { issues: [{ path, message, code }] });

const choicesOf = ({ kind, choices }: CreateInteraction): readonly string[] => {
  switch (kind) {
    case 'approval':
      return ['approve', 'deny'];
    case 'yes_no':
      return ['yes', 'no'];
    case 'reply':
      return choices ?? [];
  }
};

export interface PromptCreation {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
  readonly source: { readonly name: string; readonly imageUrl: string | null };
  readonly input: CreateInteraction;
  readonly webhookIds: readonly string[];
  readonly deviceIds: readonly string[];
  /** How many devices are not rung for their quiet hours. */
  readonly quiet?: number | undefined;
  readonly recipients?: readonly string[];
  readonly teamId?: string | undefined;
  readonly liveActivityId: string | null;
  readonly escalatesTo?: EscalatesTo | undefined;
  readonly fingerprint: string | null;
  readonly at: Instant;
  readonly expiresAt: Instant;
}

/** The content that the person sees, from an agent's input. */
export const seenOf = (input: CreateInteraction): PromptText => ({
  kind: input.kind,
  title: input.title,
  prompt: input.prompt,
  choices: choicesOf(input),
  primaryLabel: input.primaryLabel ?? null,
  secondaryLabel: input.secondaryLabel ?? null,
  imageUrl: input.imageUrl ?? null,
  url: input.url ?? null,
});

/** Asks the prompt. An existing stream was begun with the same idempotency key. */
export const ask: Decision<Prompt, InteractionEvent, PromptCreation> =
  ({ id, accountId, tokenId, source, input, webhookIds, deviceIds, liveActivityId, at, ...asking }) =>
  (state) => {
    if (state) return askAgain(asking)(state);
    const seen = seenOf(input);
    return [
      {
        type: 'InteractionAsked',
        interactionId: id,
        accountId,
        ...recipientsOf(asking),
        ...(asking.teamId !== undefined && { teamId: asking.teamId }),
        tokenId,
        presentation: input.presentation ?? 'notification',
        ...seen,
        actionDigest: digestOf(seen),
        sourceName: source.name,
        sourceImageUrl: source.imageUrl,
        serviceId: input.serviceId ?? null,
        projectId: input.projectId ?? null,
        projectName: input.projectName ?? null,
        webhookIds,
        deviceIds,
        ...(asking.quiet !== undefined && { quietDevices: asking.quiet }),
        liveActivityId,
        ...(asking.escalatesTo && { escalatesTo: asking.escalatesTo }),
        fingerprint: asking.fingerprint,
        askedAt: at,
        expiresAt: asking.expiresAt,
      },
    ];
  };

/** Accepts a repetition of the same request with the same key. */
export const askAgain: Decision<Prompt, InteractionEvent, Pick<PromptCreation, 'fingerprint'>> =
  (again) => (state) => {
    if (state?.fingerprint !== again.fingerprint) throw new Refused('idempotency.key_reused');
    return [];
  };

/** The viewer of a prompt. A token sees the prompts that it has asked; a person all that they can answer. */
export interface Viewer {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId?: string | undefined;
}

/** Refuses with `interaction.not_found` a viewer who may not see the prompt. */
export function visibleTo(state: Prompt, { id, accountId, tokenId }: Viewer): AskedPrompt {
  if (
    state?.interactionId !== id ||
    !ownersOf(state).includes(accountId) ||
    (tokenId !== undefined && state.tokenId !== tokenId)
  )
    throw new Refused('interaction.not_found');
  return state;
}

/** The team that the viewer must still be in to see the prompt; undefined for the asking account. */
export const teamFor = (
  { accountId, teamId }: Pick<AskedPrompt, 'accountId' | 'teamId'>,
  viewerId: string,
): string | undefined => (viewerId === accountId ? undefined : teamId);

/** The fields that every end event repeats. */
const endingOf = ({
  interactionId,
  accountId,
  recipients,
  presentation,
  liveActivityId,
  webhookIds,
}: AskedPrompt) => ({
  interactionId,
  accountId,
  ...recipientsOf({ recipients }),
  presentation,
  liveActivityId,
  webhookIds,
});

function refuseUnlessPending(asked: AskedPrompt, at: Instant): void {
  const status = statusAt(asked, at);
  if (status !== 'pending') throw new Refused('interaction.not_pending', { status });
}

const answersTo: Readonly<Record<Exclude<PromptKind, 'reply'>, readonly AnsweredStatus[]>> = {
  approval: ['approved', 'denied'],
  yes_no: ['yes', 'no'],
};

function outcomeOf(kind: PromptKind, given: string): AnsweredStatus {
  if (kind === 'reply') return 'replied';
  const status = answersTo[kind].find((each) => each === given);
  if (!status) throw new Refused('interaction.answer_not_allowed');
  return status;
}

export interface Answering {
  readonly viewer: Viewer;
  readonly answer: string;
  /** The digest of what the person saw when answering. */
  readonly actionDigest: string;
  readonly deviceId: string | null;
  readonly at: Instant;
}

/** Accepts the first answer only. */
export const answer: Decision<Prompt, InteractionEvent, Answering> =
  ({ viewer, answer: given, actionDigest, deviceId, at }) =>
  (state) => {
    const asked = visibleTo(state, viewer);
    refuseUnlessPending(asked, at);
    if (actionDigest !== asked.actionDigest) throw new Refused('interaction.digest_mismatch');
    return [
      {
        type: 'InteractionAnswered',
        ...endingOf(asked),
        status: outcomeOf(asked.kind, given),
        response: given,
        respondingUserId: viewer.accountId,
        respondingDeviceId: deviceId,
        answeredAt: at,
      },
    ];
  };

/** Cancels the prompt, which only the asking account may do. */
export const cancel: Decision<Prompt, InteractionEvent, { readonly viewer: Viewer; readonly at: Instant }> =
  ({ viewer, at }) =>
  (state) => {
    const asked = visibleTo(state, viewer);
    if (asked.accountId !== viewer.accountId) throw new Refused('interaction.not_asker');
    if (asked.end?.type === 'InteractionCanceled') return [];
    refuseUnlessPending(asked, at);
    return [{ type: 'InteractionCanceled', ...endingOf(asked), canceledAt: at }];
  };

/** Records that the prompt was not answered in time. Its end is `expiresAt`, however late this is recorded. */
export const expire: Decision<Prompt, InteractionEvent, { readonly at: Instant }> =
  ({ at }) =>
  (state) => {
    if (!state || state.end || isBefore(at, state.expiresAt)) return [];
    return [{ type: 'InteractionExpired', ...endingOf(state), expiredAt: state.expiresAt }];
  };

/** The API view of the prompt. */
export function promptView(asked: AskedPrompt, accepted: number, at: Instant): Interaction {
  const { end } = asked;
  const answered = end?.type === 'InteractionAnswered' ? end : null;
  return {
    id: asked.interactionId,
    title: asked.title ?? '',
    prompt: asked.prompt ?? '',
    kind: asked.kind,
    presentation: asked.presentation,
    status: statusAt(asked, at),
    choices: [...(asked.choices ?? [])],
    response: answered?.response ?? null,
    imageUrl: asked.imageUrl,
    url: asked.url,
    actionDigest: asked.actionDigest,
    primaryLabel: asked.primaryLabel,
    secondaryLabel: asked.secondaryLabel,
    accepted,
    respondingDeviceId: answered?.respondingDeviceId ?? null,
    respondingUserId: answered?.respondingUserId ?? null,
    expiresAt: asked.expiresAt,
    createdAt: asked.askedAt,
    respondedAt: answered?.answeredAt ?? null,
    canceledAt: end?.type === 'InteractionCanceled' ? end.canceledAt : null,
  };
}
