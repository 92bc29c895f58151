import type {
  AccountEvent,
  BootstrapEvent,
  EmailEvent,
  IdentityClaimed,
  SecondFactorEvent,
  SessionEvent,
  SessionUsed,
  TokenEvent,
  TokenUsed,
} from './accounts/accounts.events';
import type { MailLinkEvent } from './accounts/mail.events';
import type {
  ActivityBoardEvent,
  ActivityCommandEvent,
  ActivityEvent,
  MutationAnswered,
} from './activities/activities.events';
import type { AppEvent, AppUrlClaimed } from './apps/apps.events';
import type { AppOpened, GatewaySessionEvent, PassEvent } from './connectors/access.events';
import type { CallbackEvent } from './connectors/callbacks.events';
import type { ConnectorEvent, ConnectorHostnameClaimed } from './connectors/connectors.events';
import type { InboxEvent } from './inbox/inbox.events';
import type { PromptEscalationEvent } from './interactions/escalation.events';
import type { InteractionEvent } from './interactions/interactions.events';
import type { NotificationEvent } from './notifications/notifications.events';
import type { PageEvent, PageKeyClaimed } from './oncall/pages.events';
import type { LaneEvent } from './push/lane.events';
import type {
  DeliveryEvent,
  DeviceEvent,
  DeviceSeen,
  DeviceSessionBound,
  PushReceiptsNoted,
  QuietHoursSet,
} from './push/push.events';
import type { OperatorActed } from './operations/operations.events';
import type { CalendarEvent } from './oncall/calendar.events';
import type { EventReceived, ServiceEvent, ServicePageEvent } from './services/services.events';
import type { AuditRecorded } from './teams/audit.events';
import type { TeamEvent } from './teams/teams.events';
import type { AccountWebhooksEvent, ReplyEvent, ReplyQueued, WebhookEvent } from './webhooks/webhooks.events';

/** The event types of the services' streams, by stream category. */
export interface StreamEvents {
  readonly account: AccountEvent;
  readonly email: EmailEvent;
  readonly identity: IdentityClaimed;
  readonly second_factor: SecondFactorEvent;
  readonly mail_link: MailLinkEvent;
  readonly installation: BootstrapEvent;
  readonly token: TokenEvent;
  readonly token_use: TokenUsed;
  readonly session: SessionEvent;
  readonly session_use: SessionUsed;
  readonly service: ServiceEvent;
  readonly event: EventReceived;
  readonly service_page: ServicePageEvent;
  readonly notification: NotificationEvent;
  readonly inbox: InboxEvent;
  readonly interaction: InteractionEvent;
  readonly prompt_escalation: PromptEscalationEvent;
  readonly activity_board: ActivityBoardEvent;
  readonly activity: ActivityEvent;
  readonly activity_command: ActivityCommandEvent;
  readonly activity_answer: MutationAnswered;
  readonly lane: LaneEvent;
  readonly device: DeviceEvent;
  readonly device_seen: DeviceSeen;
  readonly device_session: DeviceSessionBound;
  readonly quiet_hours: QuietHoursSet;
  readonly delivery: DeliveryEvent;
  readonly delivery_receipts: PushReceiptsNoted;
  readonly webhook: WebhookEvent;
  readonly default_webhook: AccountWebhooksEvent;
  readonly outbox: ReplyQueued;
  readonly reply: ReplyEvent;
  readonly team: TeamEvent;
  readonly oncall_calendars: CalendarEvent;
  readonly audit: AuditRecorded;
  readonly operation: OperatorActed;
  readonly page: PageEvent;
  readonly page_key: PageKeyClaimed;
  readonly app: AppEvent;
  readonly app_url_claim: AppUrlClaimed;
  readonly app_use: AppOpened;
  readonly pass: PassEvent;
  readonly gateway_session: GatewaySessionEvent;
  readonly connector: ConnectorEvent;
  readonly callback: CallbackEvent;
  readonly connector_hostname: ConnectorHostnameClaimed;
}

/** Any event of these streams. */
export type AnyEvent = StreamEvents[keyof StreamEvents];

/** A selection of these streams, for projections that follow only some. */
export type Streams<Category extends keyof StreamEvents> = Pick<StreamEvents, Category>;
