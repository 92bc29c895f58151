import type {
  AccountEvent,
  BootstrapEvent,
  EmailEvent,
  SessionEvent,
  SessionUsed,
  TokenEvent,
  TokenUsed,
} from './accounts/accounts.events';
import type {
  ActivityBoardEvent,
  ActivityEvent,
  LaneEvent,
  MutationAnswered,
} from './activities/activities.events';
import type { InboxEvent } from './inbox/inbox.events';
import type { InteractionEvent } from './interactions/interactions.events';
import type { NotificationEvent } from './notifications/notifications.events';
import type { DeliveryEvent, DeviceEvent, DeviceSeen, DeviceSessionBound } from './push/push.events';
import type { EventReceived, ServiceEvent } from './services/services.events';
import type { AccountWebhooksEvent, ReplyEvent, ReplyQueued, WebhookEvent } from './webhooks/webhooks.events';

/** The streams of the log that others than their owner follow or read: from the category to what may stand in it. */
export interface StreamEvents {
  readonly account: AccountEvent;
  readonly email: EmailEvent;
  readonly installation: BootstrapEvent;
  readonly token: TokenEvent;
  readonly token_use: TokenUsed;
  readonly session: SessionEvent;
  readonly session_use: SessionUsed;
  readonly service: ServiceEvent;
  readonly event: EventReceived;
  readonly notification: NotificationEvent;
  readonly inbox: InboxEvent;
  readonly interaction: InteractionEvent;
  readonly activity_board: ActivityBoardEvent;
  readonly activity: ActivityEvent;
  readonly activity_answer: MutationAnswered;
  readonly lane: LaneEvent;
  readonly device: DeviceEvent;
  readonly device_seen: DeviceSeen;
  readonly device_session: DeviceSessionBound;
  readonly delivery: DeliveryEvent;
  readonly webhook: WebhookEvent;
  readonly default_webhook: AccountWebhooksEvent;
  readonly outbox: ReplyQueued;
  readonly reply: ReplyEvent;
}

/** Any event of any of them. */
export type AnyEvent = StreamEvents[keyof StreamEvents];

/** Some of them, for who follows just these. */
export type Streams<Category extends keyof StreamEvents> = Pick<StreamEvents, Category>;
