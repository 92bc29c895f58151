import {
  About,
  bool,
  Bool,
  count,
  HeaderName,
  id,
  Id,
  Int,
  Link,
  list,
  ListOfShapes,
  nullable,
  Nullable,
  object,
  oneOf,
  OneOf,
  oneOfKnown,
  Opaque,
  Optional,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
} from '@carillon/schema';
import { SecretHash } from '../accounts/identities';
import { answers, Ok } from '../contract';
import { type BodyFormat, bodyFormats } from '../notifications/notifications.contracts';
import { type ListPage, ListQuery } from '../list-page';

export const presets = [
  'plain',
  'auto',
  'alertmanager',
  'grafana',
  'github',
  'gitlab',
  'sentry',
  'stripe',
  'uptime-kuma',
  'healthchecks',
  'gatus',
] as const;
/** The form in which a service's sender writes. */
export type ServicePreset = (typeof presets)[number];

export const groupings = ['group', 'alert'] as const;
/** Whether a group of alerts is one event, or each of its alerts. */
export type ServiceGrouping = (typeof groupings)[number];

export const severities = ['info', 'warning', 'error', 'critical'] as const;
/** How bad it is what a sender tells of; the later ones are worse. */
export type Severity = (typeof severities)[number];

export const AgentService = resource(
  'AgentService',
  {
    id: id('svc'),
    title: text(),
    imageUrl: nullable(uri()),
    url: nullable(uri('Where a tap on its notifications leads when they do not say.')),
    createdAt: when(),
    updatedAt: when(),
    familyId: nullable(id('team', 'The family that sees it.')),
    defaultReplyWebhookId: nullable(id('whk')),
    preset: oneOfKnown(presets, 'The form in which its sender writes.'),
    oncallGroupId: nullable(id('ocg', 'The on-call group that is paged when something fires.')),
    oncallFrom: oneOf(severities, 'The lowest severity that pages the group; an unknown one always does.'),
    oncallGroupGone: bool(
      'True when the group could not be paged any more: it is gone, or its creator left the team.',
    ),
    expectEverySeconds: nullable(
      count('How often its sender calls at least; null when that is not watched.'),
    ),
    graceSeconds: count('How much later than that a call may come.'),
    hasSenderSecret: bool('Whether requests must be signed by their sender.'),
    eventsPer: oneOf(groupings, 'Whether a group of alerts is one event, or each of its alerts.'),
  },
  'A sender outside that reaches a person through a URL of its own.',
);
export type AgentService = Static<typeof AgentService>;

const alertStates = ['firing', 'resolved', 'none'] as const;

export const ServicePayload = resource(
  'ServicePayload',
  {
    receivedAt: when(),
    contentType: nullable(text()),
    bytes: count('The length of its body.'),
    body: text('Its body as text, 16,000 characters of it; empty for one that was too large to be read.'),
    outcome: oneOfKnown(['event', 'limited', 'refused'], 'What was made of it.'),
    events: list(
      object({
        id: id('evt'),
        title: nullable(text('Null for the title of the service.')),
        state: oneOf(alertStates),
        dedupKey: nullable(text('What the state is about.')),
        severity: nullable(text()),
      }),
      'The events that it has made or repeated, 25 at most.',
    ),
    error: nullable(text('The code that its sender got.')),
    issues: list(object({ path: text(), message: text() }), 'What did not fit, or became no event.'),
  },
  'What came in through the URL of a service, and what was made of it.',
);
export type ServicePayload = Static<typeof ServicePayload>;

const webhookUrl = uri('Its URL, which is shown at no other time.');

export const ServiceWithUrl = resource('ServiceCreated', {
  service: object({ ...AgentService.properties, webhookUrl }),
  webhookUrl,
});
export type ServiceWithUrl = Static<typeof ServiceWithUrl>;

export class CreateService {
  @Text(1, 80) title!: string;
  @Optional() @Nullable() @Link('https') imageUrl?: string | null;
  @Optional() @Nullable() @Link('tap') url?: string | null;
  @Optional() @Nullable() @Id('whk') defaultReplyWebhookId?: string | null;
  @About('`plain` unless said.') @Optional() @OneOf(presets) preset?: ServicePreset;
  @About('`group` unless said.') @Optional() @OneOf(groupings) eventsPer?: ServiceGrouping;
  @About('The group to page when something fires, one that the caller may page. Needs `oncall:write` too.')
  @Optional()
  @Nullable()
  @Id('ocg')
  oncallGroupId?: string | null;
  @About('`info` unless said.') @Optional() @OneOf(severities) oncallFrom?: Severity;
  @About('How often its sender calls at least, a minute to 31 days. A longer silence is an event, or a page.')
  @Optional()
  @Nullable()
  @Int(60, 2_678_400)
  expectEverySeconds?: number | null;
  @About('How much later a call may come, 7 days at most; 0 unless said.')
  @Optional()
  @Int(0, 604_800)
  graceSeconds?: number;
  @About('The secret with which its sender signs; shown at no time. Null ends the check.')
  @Optional()
  @Nullable()
  @Opaque(8, 255)
  senderSecret?: string | null;
}

export class ServiceById {
  @Id('svc') id!: string;
}

export class ChangeService {
  @Id('svc') id!: string;
  @Optional() @Text(1, 80) title?: string;
  @Optional() @Nullable() @Link('https') imageUrl?: string | null;
  @Optional() @Nullable() @Link('tap') url?: string | null;
  @Optional() @Nullable() @Id('whk') defaultReplyWebhookId?: string | null;
  @Optional() @OneOf(presets) preset?: ServicePreset;
  @Optional() @OneOf(groupings) eventsPer?: ServiceGrouping;
  @About('One that the caller may page. Needs `oncall:write` too.')
  @Optional()
  @Nullable()
  @Id('ocg')
  oncallGroupId?: string | null;
  @Optional() @OneOf(severities) oncallFrom?: Severity;
  @About('How often its sender calls at least, a minute to 31 days. A longer silence is an event, or a page.')
  @Optional()
  @Nullable()
  @Int(60, 2_678_400)
  expectEverySeconds?: number | null;
  @About('How much later a call may come, 7 days at most.')
  @Optional()
  @Int(0, 604_800)
  graceSeconds?: number;
  @About('The secret with which its sender signs; shown at no time. Null ends the check.')
  @Optional()
  @Nullable()
  @Opaque(8, 255)
  senderSecret?: string | null;
}

export class ShareService {
  @Id('svc') id!: string;
  @Nullable() @Id('team') familyId!: string | null;
}

export class ListServices extends ListQuery {
  @Optional() @Id('team') familyId?: string;
  @Optional() @Bool() shared?: boolean;
}

/** The message that a payload makes, regardless of its form. */
export class HookMessage {
  /** By default, or if empty, the service's title. */
  @Optional() @Text(0, 120) title?: string;
  @Text(1, 8000, { multiline: true }) body!: string;
  @Optional() @Link('tap') url?: string;
  @Optional() @Link('https') imageUrl?: string;
  @Optional() @OneOf(bodyFormats) bodyFormat?: BodyFormat;
  @Optional() @Id('app') appId?: string;
}

export const hookLimits = ['service', 'account'] as const;
/** The limit that a request exceeded: the service's own, or the account's for everything it sends. */
export type HookLimit = (typeof hookLimits)[number];

/** The headers of a sender that tell its tool, its delivery and its signature. */
export const hookHeaders = [
  'request-id',
  'sentry-hook-resource',
  'sentry-hook-signature',
  'stripe-signature',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-github-delivery',
  'x-github-event',
  'x-gitlab-event',
  'x-gitlab-event-uuid',
  'x-gitlab-token',
  'x-hub-signature-256',
] as const;

export class HookHeader {
  @HeaderName() name!: string;
  @Opaque(0, 1024) value!: string;
}

export class ReceiveEvent {
  /** HMAC-SHA-256 of the URL's secret under the pepper, 64 hex digits. */
  @Opaque(64, 64) hash!: string;
  /** The limit that the request exceeded, if any. Such a request is stored and not pushed. */
  @Optional() @OneOf(hookLimits) limitedBy?: HookLimit;
  /** The content type; absent when the sender named none. */
  @Optional() @Opaque(0, 1024) contentType?: string;
  @ListOfShapes(HookHeader, { min: 0, max: hookHeaders.length }) headers!: HookHeader[];
  /** The bytes of the body, as base64. */
  @Opaque(0, 87_384) payload!: string;
}

/** A request to a service's URL of which only the size is known. */
export class TooLargePayload {
  @Opaque(64, 64) hash!: string;
  @Optional() @Opaque(0, 1024) contentType?: string;
}

/** The service of a URL. */
export interface HookOwner {
  serviceId: string;
  accountId: string;
}

export interface EventAccepted {
  /** Null for a sign of life, which is no event. */
  eventId: string | null;
  accepted: number;
  idempotent?: boolean;
}

const OneService = object({ service: AgentService });
const ofService = 'service.unknown';
const ofCreator = [ofService, 'service.not_creator'];
const ofFamily = [ofService, 'team.forbidden_role'];

export const Services = {
  create: answers(ServiceWithUrl)('notifications.service.create', CreateService, [
    'resource.limit_reached',
    'webhook.not_found',
    'oncall_group.not_found',
  ]),
  list: answers<ListPage<AgentService>>()(
    'notifications.service.list',
    ListServices,
    ['list.invalid_cursor'],
    'always',
  ),
  get: answers(OneService)('notifications.service.get', ServiceById, [ofService], 'always'),
  change: answers(OneService)('notifications.service.change', ChangeService, [
    ...ofFamily,
    'webhook.not_found',
    'oncall_group.not_found',
  ]),
  remove: answers(Ok)('notifications.service.remove', ServiceById, ofFamily),
  share: answers(OneService)('notifications.service.share', ShareService, [...ofCreator, 'family.not_found']),
  /** Creates a new URL. The old one ends at once. */
  rotate: answers(ServiceWithUrl)('notifications.service.rotate', ServiceById, ofCreator),

  hookOwner: answers<HookOwner>()(
    'notifications.service.hook-owner',
    SecretHash,
    ['hook.not_found', 'account.suspended'],
    'always',
  ),
  payloads: answers<ListPage<ServicePayload>>()(
    'notifications.service.payloads',
    ServiceById,
    ofCreator,
    'always',
  ),
  /** Notes for the creator that a request was too large. */
  refuseTooLarge: answers(Ok)('notifications.service.refuse-too-large', TooLargePayload, ['hook.not_found']),
  receive: answers<EventAccepted>()(
    'notifications.event.receive',
    ReceiveEvent,
    [
      'hook.bad_signature',
      'hook.not_found',
      'hook.not_json',
      'hook.unsupported_media_type',
      'input.invalid',
      'idempotency.key_reused',
      'idempotency.in_progress',
    ],
    'always',
  ),
};
