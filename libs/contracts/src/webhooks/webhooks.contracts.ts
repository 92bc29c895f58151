import {
  About,
  bool,
  Bool,
  count,
  HeaderName,
  HeaderValue,
  id,
  Id,
  int,
  Int,
  Link,
  list,
  ListOf,
  ListOfShapes,
  nullable,
  Nullable,
  object,
  oneOf,
  optional,
  OneOf,
  Opaque,
  Optional,
  resource,
  SigningSecret,
  type Static,
  text,
  Text,
  uri,
  when,
  WhenAsked,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { InteractionById } from '../interactions/interactions.contracts';
import { nextCursor, type ListPage, ListQuery } from '../list-page';
import type { ReplyEventType, WebhookPreset } from './webhooks.events';

export const replyEventTypes = [
  'interaction.answered',
  'interaction.expired',
  'interaction.canceled',
] as const satisfies readonly ReplyEventType[];
const webhookPresets = ['generic', 'grok', 'slack'] as const satisfies readonly WebhookPreset[];

const replyStatuses = ['pending', 'retrying', 'delivered', 'failed', 'canceled'] as const;
/** The status of one delivery. */
export type ReplyStatus = (typeof replyStatuses)[number];

/** Shown instead of a saved header's value; a change that sends it back keeps the saved value. */
export const hiddenValue = '********';

export const ReplyWebhook = resource(
  'ReplyWebhook',
  {
    isDefault: bool("The account's default: it hears of every prompt, also of those without a service."),
    id: id('whk'),
    name: text(),
    url: uri('Where signed events go.'),
    preset: oneOf(webhookPresets, 'The form of the body.'),
    headers: list(object({ name: text(), value: text(`Always \`${hiddenValue}\`.`) })),
    events: list(oneOf(replyEventTypes)),
    enabled: bool(),
    createdAt: when(),
    updatedAt: when(),
  },
  'An address that hears how prompts end.',
);
export type ReplyWebhook = Static<typeof ReplyWebhook>;

export const ReplyWebhookCreated = resource('ReplyWebhookCreated', {
  webhook: ReplyWebhook,
  signingSecret: text('What its events are signed with: `whsec_` and base64. Shown at no other time.'),
});
export type ReplyWebhookCreated = Static<typeof ReplyWebhookCreated>;

export const ReplyWebhookDelivery = resource(
  'ReplyWebhookDelivery',
  {
    id: id('whd'),
    type: oneOf(replyEventTypes),
    status: oneOf(replyStatuses),
    attempts: int(),
    responseCode: nullable(int('Of the last attempt; null when there was no answer.')),
    latencyMs: nullable(int('Of the last attempt.')),
    error: nullable(text('Why the last attempt failed.')),
    createdAt: when(),
    deliveredAt: nullable(when()),
    nextAttemptAt: nullable(when()),
    attemptLog: list(
      object({
        attempt: int('1 for the first.'),
        attemptedAt: when(),
        status: oneOf(['delivered', 'retrying', 'failed']),
        latencyMs: int(),
        responseCode: nullable(int()),
        error: nullable(text()),
      }),
      'The newest ten at most, in the order in which they were made.',
    ),
    test: optional(bool('There when it was only a test, which cannot be sent again.')),
  },
  'One event on its way to one reply webhook.',
);
export type ReplyWebhookDelivery = Static<typeof ReplyWebhookDelivery>;

export const PromptDelivery = resource(
  'PromptDelivery',
  {
    ...ReplyWebhookDelivery.properties,
    webhookId: id('whk'),
    webhookName: nullable(text('As it is now; null once the reply webhook is deleted.')),
  },
  'The end of a prompt on its way to one reply webhook.',
);
export type PromptDelivery = Static<typeof PromptDelivery>;

export class NewHeader {
  @HeaderName() name!: string;
  @HeaderValue() value!: string;
}

export class ChangedHeader {
  @HeaderName() name!: string;
  @About(`Absent or \`${hiddenValue}\`: the saved value of that name stays.`)
  @Optional()
  @HeaderValue()
  value?: string;
}

export class CreateWebhook {
  @Text(1, 80) name!: string;
  @Link('webhook') url!: string;
  @Optional() @OneOf(webhookPresets) preset?: WebhookPreset;
  @Optional() @ListOfShapes(NewHeader, { min: 0, max: 10 }) headers?: NewHeader[];
  @Optional()
  @ListOf(OneOf.rule(replyEventTypes), { min: 1, max: 3, unique: true })
  events?: ReplyEventType[];
  @Optional() @Bool() enabled?: boolean;
  @Optional() @Bool() isDefault?: boolean;
  @About('A secret that the receiver has issued; without it one is made.')
  @Optional()
  @SigningSecret()
  signingSecret?: string;
}

export class ListWebhooks extends ListQuery {
  @Optional() @Bool() enabled?: boolean;
}

export class WebhookById {
  @Id('whk') id!: string;
}

/** Selects a webhook and a list page of its deliveries. */
export class GetWebhook extends WebhookById {
  @About('How many deliveries a page has at most; 20 unless said.')
  @Optional()
  @Int(1, 100)
  limit?: number;
  @About('`nextCursor` of the page before.') @Optional() @Opaque(1, 512) cursor?: string;
  @Optional() @OneOf(replyStatuses) status?: ReplyStatus;
}

export class ChangeWebhook extends WebhookById {
  @Optional() @Text(1, 80) name?: string;
  @Optional() @Link('webhook') url?: string;
  @Optional() @OneOf(webhookPresets) preset?: WebhookPreset;
  @Optional() @ListOfShapes(ChangedHeader, { min: 0, max: 10 }) headers?: ChangedHeader[];
  @Optional()
  @ListOf(OneOf.rule(replyEventTypes), { min: 1, max: 3, unique: true })
  events?: ReplyEventType[];
  @Optional() @Bool() enabled?: boolean;
  @Optional() @Bool() isDefault?: boolean;
}

export class RotateWebhookSecret extends WebhookById {
  @About('A secret that the receiver has issued; without it one is made.')
  @Optional()
  @SigningSecret()
  signingSecret?: string;
  @About('Ends former secrets at once; else deliveries carry their signatures too for 24 hours.')
  @Optional()
  @Bool()
  revokeOld?: boolean;
}

export class TestWebhook extends WebhookById {
  @About('Which event the sample tells of; `interaction.answered` unless said.')
  @Optional()
  @OneOf(replyEventTypes)
  event?: ReplyEventType;
}

/** Selects one delivery of a webhook. */
export class ReplyOfWebhook extends WebhookById {
  @Id('whd') deliveryId!: string;
}

/** Waits for messages. The maximum is below 60 s, the usual timeout of proxies. */
export class PullMessages extends WebhookById {
  @About(
    '`nextAfter` of the answer before. Without it, the oldest message of the last 24 hours is the first.',
  )
  @Optional()
  @Int(0, 999_999_999_999_999)
  after?: number;
  @About('How long to wait at most when there is none; 25 unless said.')
  @Optional()
  @Int(0, 55)
  timeoutSeconds?: number;
}

export class RecoverReplies extends WebhookById {
  @About('What was queued before stays as it is.')
  @WhenAsked()
  since!: string;
}

/** Selects the webhooks to tell a prompt's end: the named one, else that of its service, and the account's default. */
export class FindReplyTargets {
  @Optional() @Nullable() @Id('whk') webhookId?: string | null;
  @Optional() @Nullable() @Id('whk') serviceDefaultId?: string | null;
}

/** Existing webhooks of the caller, each once, the default first. Whether they are enabled is checked at delivery. */
export interface ReplyTargets {
  webhookIds: string[];
}

const OneWebhook = object({ webhook: ReplyWebhook });
const WebhookWithDeliveries = object({
  webhook: ReplyWebhook,
  deliveries: list(ReplyWebhookDelivery),
  nextCursor,
});
export type WebhookWithDeliveries = Static<typeof WebhookWithDeliveries>;

const OneDelivery = object({ delivery: ReplyWebhookDelivery });

const PromptDeliveries = object({
  deliveries: list(PromptDelivery, 'One for each reply webhook that is told how the prompt ended.'),
});
export type PromptDeliveries = Static<typeof PromptDeliveries>;

const RecoveredReplies = object({
  recovered: count('How many deliveries are attempted again.'),
  more: bool('There are more: ask again.'),
});
export type RecoveredReplies = Static<typeof RecoveredReplies>;

const PulledMessage = object({
  sequence: int('`carillon-sequence`: from 1, without gaps.'),
  id: id('msg', '`webhook-id`: the same whenever the message is sent or read.'),
  timestamp: int('`webhook-timestamp`: when it was signed for this answer, in seconds since 1970.'),
  headers: object(
    {
      'content-type': text(),
      'user-agent': text(),
      'webhook-id': text(),
      'webhook-timestamp': text(),
      'webhook-signature': text(),
      'carillon-sequence': text(),
    },
    'The headers of a delivery, without those that were saved for the URL.',
  ),
  body: text('Exactly what is signed: pass it on as it is.'),
});
export type PulledMessage = Static<typeof PulledMessage>;

const PulledMessages = object({
  messages: list(PulledMessage, 'In the order of their numbers.'),
  nextAfter: int('`after` of the next request.'),
  gaps: list(
    object({ from: int(), to: int() }),
    'Numbers between `after` and `nextAfter` that cannot be read any more, first and last included.',
  ),
});
export type PulledMessages = Static<typeof PulledMessages>;

const unknown = 'webhook.unknown';
const destination = 'destination.not_allowed';

export const Webhooks = {
  list: answers<ListPage<ReplyWebhook>>()(
    'webhooks.endpoint.list',
    ListWebhooks,
    ['list.invalid_cursor'],
    'always',
  ),
  create: answers(ReplyWebhookCreated)('webhooks.endpoint.create', CreateWebhook, [
    'input.invalid',
    'webhook.saved_too_often',
    destination,
    'resource.limit_reached',
  ]),
  get: answers(WebhookWithDeliveries)(
    'webhooks.endpoint.get',
    GetWebhook,
    [unknown, 'list.invalid_cursor'],
    'always',
  ),
  change: answers(OneWebhook)('webhooks.endpoint.change', ChangeWebhook, [
    unknown,
    'input.invalid',
    'webhook.saved_too_often',
    destination,
  ]),
  remove: answers(Ok)('webhooks.endpoint.remove', WebhookById, [unknown]),
  rotate: answers(ReplyWebhookCreated)('webhooks.endpoint.rotate', RotateWebhookSecret, [
    unknown,
    'input.invalid',
  ]),
  /** Makes one attempt to deliver a sample, without retries. */
  test: answers(OneDelivery)('webhooks.reply.test', TestWebhook, [
    unknown,
    destination,
    'webhook.tested_too_often',
  ]),
  /** Answers at once; the gateway calls it repeatedly for a caller that waits. */
  messages: answers(PulledMessages)(
    'webhooks.reply.messages',
    PullMessages,
    [unknown, 'input.invalid'],
    'always',
  ),
  /** What reply webhooks were told of a prompt: nothing while it is pending, or where another account has asked it. */
  ofPrompt: answers(PromptDeliveries)(
    'webhooks.reply.of-prompt',
    InteractionById,
    ['interaction.not_found'],
    'always',
  ),
  /** Restarts one delivery under the same id. */
  resend: answers(OneDelivery)('webhooks.reply.resend', ReplyOfWebhook, [
    unknown,
    'reply.unknown',
    'webhook.disabled',
  ]),
  /** Restarts all deliveries that failed or were given up since a time. */
  recover: answers(RecoveredReplies)('webhooks.reply.recover', RecoverReplies, [unknown, 'webhook.disabled']),

  /** Exact: reads the log, so that all earlier acknowledged changes are included. */
  targets: answers<ReplyTargets>()(
    'webhooks.endpoint.targets',
    FindReplyTargets,
    ['webhook.not_found'],
    'always',
  ),
};

/** Core NATS signal `sig.webhook.queued.<webhook id>`: the endpoint has a new message. Lossy, only a hint. */
