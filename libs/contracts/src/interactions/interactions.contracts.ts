import {
  About,
  AtMostWhere,
  bool,
  Bool,
  count,
  Id,
  id,
  Int,
  Link,
  list,
  ListOf,
  Nested,
  NotBeside,
  Nullable,
  nullable,
  object,
  OneOf,
  oneOf,
  OnlyWhere,
  Opaque,
  Optional,
  optional,
  resource,
  Slug,
  type Static,
  Text,
  text,
  uri,
  When,
  when,
} from '@carillon/schema';
import { answers } from '../contract';
import { type ListPage, ListQuery } from '../list-page';
import type { PromptKind, PromptPresentation } from './interactions.events';

const promptKinds = ['approval', 'yes_no', 'reply'] as const satisfies readonly PromptKind[];
const promptPresentations = [
  'notification',
  'live_activity',
] as const satisfies readonly PromptPresentation[];
const promptStatuses = [
  'pending',
  'approved',
  'denied',
  'yes',
  'no',
  'replied',
  'canceled',
  'expired',
] as const;
export type PromptStatus = (typeof promptStatuses)[number];

export const Interaction = resource(
  'Interaction',
  {
    id: id('int'),
    title: text(),
    prompt: text(),
    kind: oneOf(promptKinds),
    presentation: oneOf(promptPresentations),
    status: oneOf(promptStatuses, 'All but `pending` are final.'),
    choices: list(text(), 'What a person can choose; to a reply any other text may be given too.'),
    response: nullable(text('`approved`, `denied`, `yes`, `no`, or the text of the person.')),
    imageUrl: nullable(uri()),
    url: nullable(uri()),
    actionDigest: text('`sha256:` and 64 hex digits: fixes what the person saw.'),
    primaryLabel: nullable(text()),
    secondaryLabel: nullable(text()),
    accepted: count('Devices whose push provider has accepted it.'),
    respondingDeviceId: nullable(id('dev')),
    respondingUserId: nullable(id('usr')),
    expiresAt: when(),
    createdAt: when(),
    respondedAt: nullable(when()),
    canceledAt: nullable(when()),
  },
  'A question to a person, and what became of it.',
);
export type Interaction = Static<typeof Interaction>;

export const InboxInteraction = resource(
  'InboxInteraction',
  {
    ...Interaction.properties,
    sourceName: text('The sender: the service, else the token.'),
    sourceImageUrl: nullable(uri()),
    projectId: optional(nullable(text())),
  },
  'A question as the person who is asked sees it.',
);
export type InboxInteraction = Static<typeof InboxInteraction>;

const responderNames = {
  respondingUserName: nullable(text('As it is now; null also when that account is deleted or suspended.')),
  respondingDeviceName: nullable(text('As it is now; null also when that device is removed or has no name.')),
};

export const SessionInteraction = resource(
  'SessionInteraction',
  { ...InboxInteraction.properties, ...responderNames },
  'A question as a signed-in person sees it, and who has answered it.',
);
export type SessionInteraction = Static<typeof SessionInteraction>;

export const EndedInteraction = resource(
  'EndedInteraction',
  {
    ...Interaction.properties,
    respondingUserName: optional(responderNames.respondingUserName),
    respondingDeviceName: optional(responderNames.respondingDeviceName),
  },
  'A question that a signed-in person has ended. The names are absent when they could not be looked up.',
);
export type EndedInteraction = Static<typeof EndedInteraction>;

export const InteractionCreated = resource('InteractionCreated', {
  interaction: Interaction,
  accepted: count('Devices whose push provider had accepted it when this was first answered.'),
  idempotent: optional(bool('There when this repeats the answer of an earlier request.')),
  liveActivityId: optional(id('act', 'The live activity that shows it.')),
  queued: optional(count('Devices on which the live activity is to start: neither accepted nor received.')),
  message: optional(text()),
});
export type InteractionCreated = Static<typeof InteractionCreated>;

export const OneInteraction = object({ interaction: Interaction });
export type OneInteraction = Static<typeof OneInteraction>;

export const OneEndedInteraction = object({ interaction: EndedInteraction });
export type OneEndedInteraction = Static<typeof OneEndedInteraction>;

export const InteractionWaited = object({
  interaction: Interaction,
  timedOut: bool('The time was over and nothing had happened: ask again.'),
});
export type InteractionWaited = Static<typeof InteractionWaited>;

/** What an agent asks a person. */
/** What a prompt becomes when nobody has answered it by then. */
export class EscalateTo {
  @Id('ocg') groupId!: string;
  @Int(30, 86_400) afterSeconds!: number;
}

@OnlyWhere(['choices'], 'kind', ['reply'], 'is for the kind reply only')
@OnlyWhere(['primaryLabel', 'secondaryLabel'], 'kind', ['approval', 'yes_no'], 'is not for the kind reply')
@NotBeside('expiresInSeconds', ['expiresAt'])
@AtMostWhere('expiresInSeconds', 28_800, 'presentation', 'live_activity')
@NotBeside('deviceIds', ['deviceGroupId'])
export class CreateInteraction {
  @Text(1, 120) title!: string;
  @About('The question itself.')
  @Text(1, 4000, { multiline: true })
  prompt!: string;
  @OneOf(promptKinds) kind!: PromptKind;
  @About('How phones show it; `notification` unless said.')
  @Optional()
  @OneOf(promptPresentations)
  presentation?: PromptPresentation;
  @About('Texts to choose from; for `reply` only.')
  @Optional()
  @ListOf(Text.rule(1, 60), { min: 0, max: 6, unique: true })
  choices?: string[];
  @About('What the button for `approved` or `yes` says. Not for `reply`.')
  @Optional()
  @Text(1, 24)
  primaryLabel?: string;
  @About('What the button for `denied` or `no` says. Not for `reply`.')
  @Optional()
  @Text(1, 24)
  secondaryLabel?: string;
  @About('Whether it rings devices in their quiet hours too.')
  @Optional()
  @Bool()
  urgent?: boolean;
  @About('A picture to show with it.')
  @Optional()
  @Nullable()
  @Link('https')
  imageUrl?: string | null;
  @About('Where the person can read more.')
  @Optional()
  @Nullable()
  @Link('tap')
  url?: string | null;
  @About('When it expires, in seconds from now; 3600 unless said. A live activity lasts 28800 at most.')
  @Optional()
  @Int(30, 604_800)
  expiresInSeconds?: number;
  @About('When it expires, as a moment instead.')
  @Optional()
  @When()
  expiresAt?: string;
  @About('The service in whose name it is asked.')
  @Optional()
  @Id('svc')
  serviceId?: string;
  @About('The reply webhook that hears how it ends, beside the default of the account.')
  @Optional()
  @Id('whk')
  webhookId?: string;
  @About('A label of your own, by which the inbox groups.')
  @Optional()
  @Nullable()
  @Slug()
  projectId?: string | null;
  @About('How the inbox calls the project.')
  @Optional()
  @Text(1, 80)
  projectName?: string;
  @About('These active devices only.')
  @Optional()
  @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true })
  deviceIds?: string[];
  @About('The devices of this group, and the inboxes of its people.')
  @Optional()
  @Id('dgr')
  deviceGroupId?: string;
  @About(
    'Unanswered by then, which is before it expires, it pages the group; its answer still counts and resolves the page.',
  )
  @Optional()
  @Nested(EscalateTo)
  escalateTo?: EscalateTo;
}

export class ListPendingInteractions extends ListQuery {
  @Optional() @OneOf(promptKinds) kind?: PromptKind;
  @Optional() @Slug() projectId?: string;
}

export class ListInteractions extends ListPendingInteractions {
  @About('Only those that can still be answered, or only those that cannot.')
  @Optional()
  @Bool()
  pending?: boolean;
}

export class InteractionById {
  @Id('int') id!: string;
}

/** Waits for the end of a prompt. The maximum is below 60 s, the usual timeout of proxies. */
export class WaitForInteraction extends InteractionById {
  @About('How long to wait at most; 25 unless said.')
  @Optional()
  @Int(0, 55)
  timeoutSeconds?: number;
}

export class AnswerInteraction extends InteractionById {
  @About('`approved`, `denied`, `yes`, `no`, or for a reply any text.')
  @Text(1, 4000, { multiline: true })
  answer!: string;
  @About('The `actionDigest` of what the person saw.')
  @Opaque(1, 200)
  actionDigest!: string;
  @About('The device on which it was answered.')
  @Optional()
  @Id('dev')
  deviceId?: string;
  @About('Proof by the device that its owner was there. Taken and not looked at yet.')
  @Optional()
  @Opaque(1, 8192)
  assertion?: string;
}

export class EndedAmong {
  @ListOf(Id.rule('int'), { min: 1, max: 500, unique: true }) ids!: string[];
}

const unknown = 'interaction.not_found';
const notPending = 'interaction.not_pending';

/**
 * An agent's token can see the prompts that it asked, a person all prompts addressed to them, including those that
 * other accounts sent. Any other prompt is refused as `interaction.not_found`.
 */
export const Interactions = {
  ask: answers(InteractionCreated)(
    'interactions.prompt.ask',
    CreateInteraction,
    [
      'input.invalid',
      'device.not_found',
      'device_group.not_found',
      'service.not_found',
      'webhook.not_found',
      'oncall_group.not_found',
      'activity.no_eligible_devices',
      'activity.capacity_exceeded',
    ],
    'always',
  ),
  /** The pending prompts of the account, from all askers. */
  pending: answers<ListPage<InboxInteraction>>()(
    'interactions.prompt.pending',
    ListPendingInteractions,
    ['list.invalid_cursor'],
    'always',
  ),
  /** Includes recently ended prompts. */
  list: answers<ListPage<SessionInteraction>>()(
    'interactions.prompt.list',
    ListInteractions,
    ['list.invalid_cursor'],
    'always',
  ),
  get: answers(OneInteraction)('interactions.prompt.get', InteractionById, [unknown], 'always'),
  /** Implemented by the gateway itself, which calls `get` repeatedly. */
  wait: answers(InteractionWaited)('interactions.prompt.wait', WaitForInteraction, [unknown], 'always'),
  /** The prompt as the person sees it. */
  show: answers(object({ interaction: SessionInteraction }))(
    'interactions.prompt.show',
    InteractionById,
    [unknown],
    'always',
  ),
  answer: answers(OneEndedInteraction)('interactions.prompt.answer', AnswerInteraction, [
    unknown,
    notPending,
    'device.not_found',
    'interaction.digest_mismatch',
    'interaction.answer_not_allowed',
  ]),
  cancel: answers(OneEndedInteraction)('interactions.prompt.cancel', InteractionById, [
    unknown,
    notPending,
    'interaction.not_asker',
  ]),
  /** The prompts among these that are no longer pending, from the rows. For a gateway that waits for many prompts. */
  endedAmong: answers<{ ids: string[] }>()('interactions.prompt.ended-among', EndedAmong, [], 'always'),
};

/** Core NATS signal `sig.interaction.ended.<interaction id>`: the prompt is no longer pending. Lossy, only a hint. */
export interface InteractionEndedSignal {
  position: string;
}
