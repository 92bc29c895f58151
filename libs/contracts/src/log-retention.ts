import type { StreamEvents } from './stream-events';

type AnyCategory = keyof StreamEvents;
type EventOf<Category extends AnyCategory> = StreamEvents[Category];
type TypeOf<Category extends AnyCategory> = EventOf<Category>['type'];
type FieldOf<Category extends AnyCategory, Type extends TypeOf<Category>> = Exclude<
  keyof Extract<EventOf<Category>, { readonly type: Type }>,
  'type'
>;

/**
 * The field with the time of each event type, which says how old a stream is whose newest event has this type. Null
 * where such a stream is still open, and kept.
 */
type Times<Category extends AnyCategory> = {
  readonly [Type in TypeOf<Category>]: FieldOf<Category, Type> | null | Field<FieldOf<Category, Type>>;
};
type Field<Name> = (stream: string) => Name | null;

/** How the streams of a category leave the log. */
type StreamRetention<Category extends AnyCategory> =
  | 'kept'
  /** The whole stream, once its newest event is too old. */
  | { readonly deleted: Times<Category> }
  /** The events that are too old, but for the newest one. */
  | { readonly truncated: Times<Category> };

/** What the log keeps for `CARILLON_KEEP_DAYS` days, and what for ever (ADR 63). */
const byCategory: { readonly [Category in AnyCategory]: StreamRetention<Category> } = {
  account: 'kept',
  email: 'kept',
  identity: 'kept',
  second_factor: 'kept',
  mail_link: { deleted: { MailLinkRequested: 'expiresAt', MailLinkUsed: 'usedAt' } },
  installation: 'kept',
  token: 'kept',
  token_use: 'kept',
  session: 'kept',
  session_use: 'kept',
  service: 'kept',
  event: { deleted: { EventReceived: 'receivedAt' } },
  service_page: { deleted: { ServicePaged: 'pagedAt', ServicePageResolved: 'resolvedAt' } },
  notification: { deleted: { NotificationSent: 'sentAt', NotificationWithdrawn: 'withdrawnAt' } },
  inbox: {
    truncated: {
      InboxItemRead: 'readAt',
      InboxItemsRead: 'readAt',
      InboxItemUnread: 'at',
      InboxReadThrough: 'readAt',
    },
  },
  interaction: {
    deleted: {
      InteractionAsked: null,
      InteractionAnswered: 'answeredAt',
      InteractionCanceled: 'canceledAt',
      InteractionExpired: 'expiredAt',
    },
  },
  prompt_escalation: { deleted: { EscalationBegun: null, PromptPaged: 'pagedAt' } },
  activity_board: 'kept',
  activity: {
    deleted: {
      ActivityStarted: null,
      ActivityUpdated: null,
      ActivityEnded: 'endedAt',
      ActivityExpired: 'expiredAt',
      ActivityFailed: 'failedAt',
    },
  },
  activity_command: 'kept',
  activity_answer: { deleted: { MutationAnswered: 'answeredAt' } },
  lane: { deleted: { ActivityTokenRegistered: 'registeredAt', ActivityPushed: 'pushedAt' } },
  device: 'kept',
  device_seen: 'kept',
  device_session: 'kept',
  quiet_hours: 'kept',
  delivery: {
    deleted: {
      // A page may be open for long. Its pushes are cleared when it is resolved.
      PushReported: (stream) => (stream.startsWith('delivery-psh_') ? null : 'reportedAt'),
      PushCleared: 'clearedAt',
    },
  },
  delivery_receipts: {
    deleted: {
      PushReceiptsNoted: (stream) => (stream.startsWith('delivery_receipts-psh_') ? null : 'notedAt'),
    },
  },
  webhook: 'kept',
  default_webhook: 'kept',
  outbox: { truncated: { ReplyQueued: 'queuedAt' } },
  reply: {
    deleted: {
      ReplyAttempted: 'attemptedAt',
      ReplyResent: 'resentAt',
      ReplyCanceled: 'canceledAt',
      ReplyTested: 'testedAt',
    },
  },
  team: 'kept',
  oncall_calendars: 'kept',
  // Truncated by the retention of its team.
  audit: 'kept',
  operation: 'kept',
  page: {
    deleted: {
      PageTriggered: null,
      PageNotified: null,
      PageRepeated: null,
      PageAcknowledged: null,
      PageWithdrawn: null,
      PageResolved: 'resolvedAt',
      PageForgotten: 'forgottenAt',
    },
  },
  page_key: 'kept',
  app: 'kept',
  app_url_claim: 'kept',
  app_use: 'kept',
  pass: 'kept',
  gateway_session: 'kept',
  connector: 'kept',
  callback: { deleted: { CallbackRecorded: 'recordedAt', CallbackConsumed: 'consumedAt' } },
  connector_hostname: 'kept',
};

type TimeField = string | null | ((stream: string) => string | null);

export interface LogRetention {
  readonly how: 'deleted' | 'truncated';
  /** The time field of each event type; null for an event after which the stream is still open. */
  readonly times: Readonly<Record<string, TimeField>>;
}

/** The retention of the streams that the log does not keep for ever, by category. */
export const logRetention: ReadonlyMap<string, LogRetention> = new Map(
  Object.entries(byCategory).flatMap(([category, retention]): [string, LogRetention][] => {
    if (retention === 'kept') return [];
    return 'deleted' in retention
      ? [[category, { how: 'deleted', times: retention.deleted }]]
      : [[category, { how: 'truncated', times: retention.truncated }]];
  }),
);
