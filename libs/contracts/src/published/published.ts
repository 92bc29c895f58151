import type { DomainEvent } from '@carillon/eventing';
import type { AccountOpened, TokenCreated, TokenRevoked } from '../accounts/accounts.events';
import type {
  ActivityEnded,
  ActivityExpired,
  ActivityPushed,
  ActivityStarted,
  ActivityUpdated,
} from '../activities/activities.events';
import type {
  InteractionAnswered,
  InteractionAsked,
  InteractionCanceled,
  InteractionExpired,
} from '../interactions/interactions.events';
import type { NotificationSent, NotificationWithdrawnEvent } from '../notifications/notifications.events';
import { platforms, pushEnvironments, type PushReceipt } from '../push/push.contracts';
import type {
  DeviceDeactivated,
  DeviceRegistered,
  DeviceTokensChanged,
  PushCleared,
  PushReported,
} from '../push/push.events';
import { hookLimits } from '../services/services.contracts';
import type {
  EventReceived,
  HookRotated,
  ServiceChanged,
  ServiceCreated,
  ServiceDeleted,
  ServiceShared,
} from '../services/services.events';
import type {
  DefaultWebhookChosen,
  ReplyAttempted,
  ReplyCanceled,
  ReplyQueued,
  ReplyResent,
  WebhookChanged,
  WebhookCreated,
  WebhookDeleted,
  WebhookDisabled,
  WebhookSecretRotated,
} from '../webhooks/webhooks.events';
import { count, type Field, type Fields, flag, id, instant, listOf, nullable, oneOf, record } from './fields';

/** The JetStream stream that holds all published events. */
export const publishedStream = 'EVT';
export const publishedSubjects = 'evt.>';

/** How an event of the log is told to the world: where, under which name, and with which of its fields. */
export interface PublishedEvent {
  /** The service that writes it. */
  readonly context: string;
  /** What it is about, and what happened to it. */
  readonly noun: string;
  readonly event: string;
  /** The field whose value ends the subject. */
  readonly id: string;
  /** The field that says when it happened. */
  readonly time: string;
  readonly summary: string;
  /** All that is published of it. What is not named stays in the log. */
  readonly data: Readonly<Record<string, Field<never>>>;
}

const published =
  <Event extends DomainEvent>() =>
  <const Data extends Fields<Omit<Event, 'type'>>>(
    name: `${string}.${string}.${string}`,
    about: {
      readonly id: keyof Data & string;
      readonly time: keyof Data & string;
      readonly summary: string;
      readonly data: Data & Record<Exclude<keyof Data, keyof Event>, never>;
    },
  ): PublishedEvent => {
    const [context = '', noun = '', event = ''] = name.split('.');
    return { context, noun, event, ...about };
  };

/**
 * Every event type that is published. Ids, states, counts and times only: who may read the text asks for it by id.
 * An event here is a promise: fields may be added, never changed; a change of meaning is a new version of the type.
 */
export const publishedEvents: Readonly<Record<string, PublishedEvent>> = {
  AccountOpened: published<AccountOpened>()('accounts.account.opened', {
    id: 'accountId',
    time: 'openedAt',
    summary: 'An account was opened.',
    data: { accountId: id, openedAt: instant },
  }),
  TokenCreated: published<TokenCreated>()('accounts.token.created', {
    id: 'tokenId',
    time: 'createdAt',
    summary: 'An API token was created.',
    data: {
      tokenId: id,
      accountId: id,
      kind: oneOf('token', 'oauth'),
      expiresAt: nullable(instant),
      createdAt: instant,
    },
  }),
  TokenRevoked: published<TokenRevoked>()('accounts.token.revoked', {
    id: 'tokenId',
    time: 'revokedAt',
    summary: 'An API token was revoked.',
    data: { tokenId: id, accountId: id, revokedAt: instant },
  }),
  NotificationSent: published<NotificationSent>()('notifications.notification.sent', {
    id: 'notificationId',
    time: 'sentAt',
    summary: 'A notification exists, and is on its way to these devices.',
    data: {
      notificationId: id,
      accountId: id,
      tokenId: nullable(id),
      appId: nullable(id),
      deviceIds: listOf(id),
      sentAt: instant,
    },
  }),
  NotificationWithdrawn: published<NotificationWithdrawnEvent>()('notifications.notification.withdrawn', {
    id: 'notificationId',
    time: 'withdrawnAt',
    summary: 'A notification was taken back; `accepted` devices were told so.',
    data: {
      notificationId: id,
      accountId: id,
      status: oneOf('withdrawn', 'withdraw_partial'),
      accepted: count,
      withdrawnAt: instant,
    },
  }),
  ServiceCreated: published<ServiceCreated>()('notifications.service.created', {
    id: 'serviceId',
    time: 'createdAt',
    summary: 'A webhook service was created.',
    data: { serviceId: id, accountId: id, defaultReplyWebhookId: nullable(id), createdAt: instant },
  }),
  ServiceChanged: published<ServiceChanged>()('notifications.service.changed', {
    id: 'serviceId',
    time: 'changedAt',
    summary: 'A webhook service was changed.',
    data: { serviceId: id, accountId: id, changedAt: instant },
  }),
  ServiceShared: published<ServiceShared>()('notifications.service.shared', {
    id: 'serviceId',
    time: 'sharedAt',
    summary: 'A webhook service is shared with this family from now on, or with none.',
    data: { serviceId: id, accountId: id, familyId: nullable(id), sharedAt: instant },
  }),
  HookRotated: published<HookRotated>()('notifications.service.rotated', {
    id: 'serviceId',
    time: 'rotatedAt',
    summary: 'A webhook service has another URL; the old one is dead.',
    data: { serviceId: id, accountId: id, rotatedAt: instant },
  }),
  ServiceDeleted: published<ServiceDeleted>()('notifications.service.deleted', {
    id: 'serviceId',
    time: 'deletedAt',
    summary: 'A webhook service was deleted.',
    data: { serviceId: id, accountId: id, deletedAt: instant },
  }),
  EventReceived: published<EventReceived>()('notifications.event.received', {
    id: 'eventId',
    time: 'receivedAt',
    summary: 'Something came in through the URL of a webhook service, and is on its way to these devices.',
    data: {
      eventId: id,
      accountId: id,
      serviceId: id,
      appId: nullable(id),
      limitedBy: nullable(oneOf(...hookLimits)),
      deviceIds: listOf(id),
      receivedAt: instant,
    },
  }),
  PushReported: published<PushReported>()('push.delivery.reported', {
    id: 'subjectId',
    time: 'reportedAt',
    summary:
      'What the providers have said of a push so far (500 receipts at most); `final` when there is nothing more to come.',
    data: {
      subjectId: id,
      accountId: id,
      accepted: count,
      receipts: listOf(
        record<PushReceipt>({
          id,
          deviceId: id,
          status: oneOf('pending', 'accepted', 'error', 'unknown'),
          checkedAt: nullable(instant),
        }),
      ),
      final: flag,
      reportedAt: instant,
    },
  }),
  PushCleared: published<PushCleared>()('push.delivery.cleared', {
    id: 'subjectId',
    time: 'clearedAt',
    summary: 'A push was removed from the devices that it had reached, as far as the providers say.',
    data: { subjectId: id, accountId: id, reached: count, cleared: count, clearedAt: instant },
  }),
  DeviceRegistered: published<DeviceRegistered>()('push.device.registered', {
    id: 'deviceId',
    time: 'registeredAt',
    summary: 'A device registered, for the first time or again.',
    data: {
      deviceId: id,
      accountId: id,
      platform: oneOf(...platforms),
      pushEnvironment: oneOf(...pushEnvironments),
      liveActivitiesCapable: flag,
      interactiveLiveActivitiesCapable: flag,
      registeredAt: instant,
    },
  }),
  DeviceTokensChanged: published<DeviceTokensChanged>()('push.device.tokens-changed', {
    id: 'deviceId',
    time: 'changedAt',
    summary: 'A device has other push tokens.',
    data: { deviceId: id, accountId: id, environment: oneOf(...pushEnvironments), changedAt: instant },
  }),
  DeviceDeactivated: published<DeviceDeactivated>()('push.device.deactivated', {
    id: 'deviceId',
    time: 'deactivatedAt',
    summary: 'A device gets no more pushes until it registers again.',
    data: {
      deviceId: id,
      accountId: id,
      reason: oneOf('unregistered', 'bad_token', 'moved', 'removed'),
      deactivatedAt: instant,
    },
  }),
  InteractionAsked: published<InteractionAsked>()('interactions.interaction.asked', {
    id: 'interactionId',
    time: 'askedAt',
    summary: 'A prompt exists, and is on its way to these devices.',
    data: {
      interactionId: id,
      accountId: id,
      tokenId: id,
      kind: oneOf('approval', 'yes_no', 'reply'),
      presentation: oneOf('notification', 'live_activity'),
      serviceId: nullable(id),
      liveActivityId: nullable(id),
      webhookIds: listOf(id),
      deviceIds: listOf(id),
      askedAt: instant,
      expiresAt: instant,
    },
  }),
  InteractionAnswered: published<InteractionAnswered>()('interactions.interaction.answered', {
    id: 'interactionId',
    time: 'answeredAt',
    summary: 'A person answered a prompt. What they wrote is asked for by id.',
    data: {
      interactionId: id,
      accountId: id,
      status: oneOf('approved', 'denied', 'yes', 'no', 'replied'),
      respondingUserId: id,
      respondingDeviceId: nullable(id),
      answeredAt: instant,
    },
  }),
  InteractionCanceled: published<InteractionCanceled>()('interactions.interaction.canceled', {
    id: 'interactionId',
    time: 'canceledAt',
    summary: 'A prompt was taken back.',
    data: { interactionId: id, accountId: id, canceledAt: instant },
  }),
  InteractionExpired: published<InteractionExpired>()('interactions.interaction.expired', {
    id: 'interactionId',
    time: 'expiredAt',
    summary: 'Nobody answered a prompt in time.',
    data: { interactionId: id, accountId: id, expiredAt: instant },
  }),
  ActivityStarted: published<ActivityStarted>()('activities.activity.started', {
    id: 'activityId',
    time: 'startedAt',
    summary: 'A live activity runs, and is to be shown on these devices.',
    data: {
      activityId: id,
      accountId: id,
      tokenId: id,
      replacedId: nullable(id),
      deviceIds: listOf(id),
      sequence: count,
      startedAt: instant,
      expiresAt: instant,
    },
  }),
  ActivityUpdated: published<ActivityUpdated>()('activities.activity.updated', {
    id: 'activityId',
    time: 'updatedAt',
    summary: 'A live activity has another state.',
    data: {
      activityId: id,
      accountId: id,
      sequence: count,
      priorityReason: oneOf('routine', 'milestone', 'budget_exhausted', 'start', 'end', 'interaction'),
      updatedAt: instant,
    },
  }),
  ActivityEnded: published<ActivityEnded>()('activities.activity.ended', {
    id: 'activityId',
    time: 'endedAt',
    summary: 'A live activity is over.',
    data: {
      activityId: id,
      accountId: id,
      reason: oneOf('ended', 'replaced', 'answered', 'canceled'),
      sequence: count,
      endedAt: instant,
    },
  }),
  ActivityExpired: published<ActivityExpired>()('activities.activity.expired', {
    id: 'activityId',
    time: 'expiredAt',
    summary: 'A live activity reached its deadline.',
    data: { activityId: id, accountId: id, sequence: count, expiredAt: instant },
  }),
  ActivityPushed: published<ActivityPushed>()('push.activity.pushed', {
    id: 'activityId',
    time: 'pushedAt',
    summary: 'What became of one operation of a live activity on one device.',
    data: {
      activityId: id,
      deviceId: id,
      accountId: id,
      operation: oneOf('start', 'update', 'end'),
      sequence: count,
      outcome: oneOf('accepted', 'failed', 'superseded', 'dropped'),
      pushedAt: instant,
    },
  }),
  WebhookCreated: published<WebhookCreated>()('webhooks.webhook.created', {
    id: 'webhookId',
    time: 'createdAt',
    summary: 'A reply webhook was saved.',
    data: { webhookId: id, accountId: id, enabled: flag, createdAt: instant },
  }),
  WebhookChanged: published<WebhookChanged>()('webhooks.webhook.changed', {
    id: 'webhookId',
    time: 'changedAt',
    summary: 'A reply webhook was changed.',
    data: { webhookId: id, accountId: id, changedAt: instant },
  }),
  WebhookSecretRotated: published<WebhookSecretRotated>()('webhooks.webhook.rotated', {
    id: 'webhookId',
    time: 'rotatedAt',
    summary: 'A reply webhook signs with another secret.',
    data: { webhookId: id, accountId: id, formerUntil: nullable(instant), rotatedAt: instant },
  }),
  WebhookDisabled: published<WebhookDisabled>()('webhooks.webhook.disabled', {
    id: 'webhookId',
    time: 'disabledAt',
    summary: 'A reply webhook was switched off, because its receiver is gone or fails all the time.',
    data: { webhookId: id, accountId: id, reason: oneOf('gone', 'failing'), disabledAt: instant },
  }),
  WebhookDeleted: published<WebhookDeleted>()('webhooks.webhook.deleted', {
    id: 'webhookId',
    time: 'deletedAt',
    summary: 'A reply webhook was deleted.',
    data: { webhookId: id, accountId: id, deletedAt: instant },
  }),
  DefaultWebhookChosen: published<DefaultWebhookChosen>()('webhooks.default.chosen', {
    id: 'accountId',
    time: 'chosenAt',
    summary: 'The account has another default reply webhook, or none.',
    data: { accountId: id, webhookId: nullable(id), chosenAt: instant },
  }),
  ReplyQueued: published<ReplyQueued>()('webhooks.reply.queued', {
    id: 'deliveryId',
    time: 'queuedAt',
    summary: 'An endpoint is to hear how a prompt ended.',
    data: {
      deliveryId: id,
      webhookId: id,
      accountId: id,
      interactionId: id,
      replyType: oneOf('interaction.answered', 'interaction.expired', 'interaction.canceled'),
      sequence: count,
      queuedAt: instant,
    },
  }),
  ReplyAttempted: published<ReplyAttempted>()('webhooks.reply.attempted', {
    id: 'deliveryId',
    time: 'attemptedAt',
    summary: 'An endpoint was called, and this came of it.',
    data: {
      deliveryId: id,
      webhookId: id,
      accountId: id,
      attempt: count,
      status: oneOf('delivered', 'retrying', 'failed'),
      nextAttemptAt: nullable(instant),
      attemptedAt: instant,
    },
  }),
  ReplyResent: published<ReplyResent>()('webhooks.reply.resent', {
    id: 'deliveryId',
    time: 'resentAt',
    summary: 'A delivery is to be made once more.',
    data: { deliveryId: id, webhookId: id, accountId: id, resentAt: instant },
  }),
  ReplyCanceled: published<ReplyCanceled>()('webhooks.reply.canceled', {
    id: 'deliveryId',
    time: 'canceledAt',
    summary: 'A delivery was given up, because its endpoint was disabled or deleted.',
    data: {
      deliveryId: id,
      webhookId: id,
      accountId: id,
      reason: oneOf('disabled', 'deleted'),
      canceledAt: instant,
    },
  }),
};

/** Event types that knowingly stay in the log: secrets, bookkeeping, and what a person does in their own inbox. */
export const unpublishedEvents: readonly string[] = [
  'AccountKeyCreated',
  'ProfileChanged',
  'EmailClaimed',
  'EmailReleased',
  'BootstrapOffered',
  'BootstrapUsed',
  'TokenUsed',
  'SessionStarted',
  'SessionRefreshed',
  'SessionUsed',
  'SessionEnded',
  'DeviceSeen',
  'InboxItemRead',
  'InboxItemUnread',
  'InboxReadThrough',
  'ActivityAdmitted',
  'ActivityReleased',
  'ActivityTokenRegistered',
  'ActivityCommandClaimed',
  'ActivityCommandTakenOver',
  'ActivityCommandFreed',
  'WebhookAdmitted',
  'WebhookReleased',
  'PushReceiptsNoted',
  'RoomCounted',
  'RoomTaken',
  'RoomReleased',
  'MutationAnswered',
  'ReplyTested',
];

/** The type of the CloudEvent, with the version of its data. */
export const cloudEventType = ({ noun, event }: PublishedEvent): string => `com.carillon.${noun}.${event}.v1`;

/** Where it is published, up to the id. */
export const subjectPrefix = ({ context, noun, event }: PublishedEvent): string =>
  `evt.${context}.${noun}.${event}`;

export const sourceOf = ({ context }: PublishedEvent): string => `urn:carillon:${context}`;
