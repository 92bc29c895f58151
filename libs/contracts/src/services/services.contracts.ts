import { SecretHash } from '../accounts/accounts.contracts';
import { answers, type Page } from '../contract';
import { type BodyFormat, bodyFormats } from '../notifications/notifications.contracts';
import { Bool, Id, Link, Nullable, OneOf, Opaque, Optional, Paged, Text } from '../validation/rules';

/** A sender outside that reaches a person through a URL of its own. */
export interface AgentService {
  id: string;
  title: string;
  imageUrl: string | null;
  /** Where a tap on its notifications leads when they do not say. */
  url: string | null;
  createdAt: string;
  updatedAt: string;
  familyId: string | null;
  defaultReplyWebhookId: string | null;
}

/** A service together with its URL, which is shown at no other time. */
export interface ServiceWithUrl {
  service: AgentService & { webhookUrl: string };
  webhookUrl: string;
}

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

export class ListServices extends Paged {
  @Optional() @Id('team') familyId?: string;
  @Optional() @Bool() shared?: boolean;
}

/** What a request to a service's URL says, whatever its media type. */
export class HookMessage {
  /** Empty or absent: the service's title. */
  @Optional() @Text(0, 120) title?: string;
  @Text(1, 8000, { multiline: true }) body!: string;
  @Optional() @Link('tap') url?: string;
  @Optional() @Link('https') imageUrl?: string;
  @Optional() @OneOf(bodyFormats) bodyFormat?: BodyFormat;
  @Optional() @Id('app') appId?: string;
}

export const hookLimits = ['service', 'account'] as const;
/** Which limit dropped a request: the one of the service, or the account's for all it sends. */
export type HookLimit = (typeof hookLimits)[number];

export class ReceiveEvent extends HookMessage {
  /** HMAC-SHA-256 of the URL's secret under the pepper, 64 hex digits. */
  @Opaque(64, 64) hash!: string;
  /** The request came over a limit: it is filed and not pushed. */
  @Optional() @OneOf(hookLimits) limitedBy?: HookLimit;
}

/** The service behind a URL. */
export interface HookOwner {
  serviceId: string;
  accountId: string;
}

export interface EventAccepted {
  eventId: string;
  accepted: number;
  idempotent?: boolean;
}

export const Services = {
  /** Refused `resource.limit_reached`, `webhook.not_found`. */
  create: answers<ServiceWithUrl>()('notifications.service.create', CreateService),
  /** Refused `page.invalid_cursor`. */
  list: answers<Page<AgentService>>()('notifications.service.list', ListServices),
  /** Refused `service.not_found`, as everything that names a service. */
  get: answers<{ service: AgentService }>()('notifications.service.get', ServiceById),
  /** Refused `webhook.not_found`. */
  change: answers<{ service: AgentService }>()('notifications.service.change', ChangeService),
  remove: answers<{ ok: true }>()('notifications.service.remove', ServiceById),
  /** Refused `family.not_found`. */
  share: answers<{ service: AgentService }>()('notifications.service.share', ShareService),
  /** A new URL; the old one ends at once. */
  rotate: answers<ServiceWithUrl>()('notifications.service.rotate', ServiceById),

  /** Refused `hook.not_found`. */
  hookOwner: answers<HookOwner>()('notifications.service.hook-owner', SecretHash),
  /** Refused `hook.not_found`, `input.invalid`, `idempotency.key_reused`, `idempotency.in_progress`. */
  receive: answers<EventAccepted>()('notifications.event.receive', ReceiveEvent),
};
