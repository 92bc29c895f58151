import {
  Bool,
  id,
  Id,
  Link,
  nullable,
  Nullable,
  object,
  OneOf,
  Opaque,
  Optional,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
} from '@carillon/schema';
import { SecretHash } from '../accounts/accounts.contracts';
import { answers, Ok } from '../contract';
import { type BodyFormat, bodyFormats } from '../notifications/notifications.contracts';
import { type ListPage, ListQuery } from '../list-page';

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
  },
  'A sender outside that reaches a person through a URL of its own.',
);
export type AgentService = Static<typeof AgentService>;

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
}

export class ShareService {
  @Id('svc') id!: string;
  @Nullable() @Id('team') familyId!: string | null;
}

export class ListServices extends ListQuery {
  @Optional() @Id('team') familyId?: string;
  @Optional() @Bool() shared?: boolean;
}

/** The message in a request to a service's URL, regardless of its media type. */
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

export class ReceiveEvent extends HookMessage {
  /** HMAC-SHA-256 of the URL's secret under the pepper, 64 hex digits. */
  @Opaque(64, 64) hash!: string;
  /** The limit that the request exceeded, if any. Such a request is stored and not pushed. */
  @Optional() @OneOf(hookLimits) limitedBy?: HookLimit;
}

/** The service of a URL. */
export interface HookOwner {
  serviceId: string;
  accountId: string;
}

export interface EventAccepted {
  eventId: string;
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
  ]),
  remove: answers(Ok)('notifications.service.remove', ServiceById, ofFamily),
  share: answers(OneService)('notifications.service.share', ShareService, [...ofCreator, 'family.not_found']),
  /** Creates a new URL. The old one ends at once. */
  rotate: answers(ServiceWithUrl)('notifications.service.rotate', ServiceById, ofCreator),

  hookOwner: answers<HookOwner>()(
    'notifications.service.hook-owner',
    SecretHash,
    ['hook.not_found'],
    'always',
  ),
  receive: answers<EventAccepted>()(
    'notifications.event.receive',
    ReceiveEvent,
    ['hook.not_found', 'input.invalid', 'idempotency.key_reused', 'idempotency.in_progress'],
    'always',
  ),
};
