import { answers } from '../contract';
import { Id, Link, ListOf, OneOf, Optional, Nullable, Slug, Text } from '../validation/rules';

export const bodyFormats = ['text', 'markdown'] as const;
export type BodyFormat = (typeof bodyFormats)[number];

/** What an agent sends to a person's phones and inbox. */
export class SendNotification {
  @Text(1, 120) title!: string;
  @Text(1, 8000, { multiline: true }) body!: string;
  @Optional() @Text(1, 280) summary?: string;
  @Optional() @OneOf(bodyFormats) bodyFormat?: BodyFormat;
  @Optional() @Nullable() @Link('https') imageUrl?: string | null;
  @Optional() @Nullable() @Link('tap') url?: string | null;
  @Optional() @Nullable() @Slug() projectId?: string | null;
  @Optional() @Text(1, 80) projectName?: string;
  @Optional() @Id('app') appId?: string;
  @Optional() @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true }) deviceIds?: string[];
  @Optional() @Id('dgr') deviceGroupId?: string;
  @Optional() @Id('ocg') oncall?: string;
}

/** `anot_…`, or `notification:anot_…` as the inbox names it. */
export class WithdrawNotification {
  @Id() id!: string;
}

export interface AgentNotification {
  id: string;
  title: string;
  body: string;
  imageUrl: string | null;
  url: string | null;
  createdAt: string;
  projectId?: string | null;
  summary?: string | null;
  bodyFormat?: BodyFormat;
  appId?: string;
}

export interface NotificationCreated {
  notification: AgentNotification;
  accepted: number;
  idempotent?: boolean;
  message?: string;
}

export interface NotificationWithdrawn {
  ok: true;
  notificationId: string;
  status: 'withdrawn' | 'withdraw_partial';
  accepted: number;
}

export const Notifications = {
  send: answers<NotificationCreated>()('notifications.notification.send', SendNotification),
  withdraw: answers<NotificationWithdrawn>()('notifications.notification.withdraw', WithdrawNotification),
};

/** Only there while a benchmark runs. */
export const Bench = {
  echo: answers<SendNotification>()('notifications.bench.echo', SendNotification),
};
