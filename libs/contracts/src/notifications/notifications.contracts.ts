import { answers } from '../contract';
import {
  bool,
  count,
  exactly,
  id,
  nullable,
  oneOf,
  optional,
  resource,
  type Static,
  text,
  uri,
  when,
} from '../schema/schema';
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

export const AgentNotification = resource(
  'AgentNotification',
  {
    id: id('anot'),
    title: text(),
    body: text(),
    imageUrl: nullable(uri()),
    url: nullable(uri('Where a tap leads.')),
    createdAt: when(),
    projectId: optional(nullable(text())),
    summary: optional(nullable(text())),
    bodyFormat: optional(oneOf(bodyFormats)),
    appId: optional(id('app')),
  },
  'A notification that an agent has sent.',
);
export type AgentNotification = Static<typeof AgentNotification>;

const accepted = count('Devices whose push provider has accepted the push by the time of the answer.');

export const NotificationCreated = resource('AgentNotificationCreated', {
  notification: AgentNotification,
  accepted,
  idempotent: optional(bool('True when an earlier request with this `Idempotency-Key` made it.')),
  message: optional(text('A word on what happened, when there is one to say.')),
});
export type NotificationCreated = Static<typeof NotificationCreated>;

export const NotificationWithdrawn = resource('AgentNotificationWithdrawn', {
  ok: exactly(true),
  notificationId: id('anot'),
  status: oneOf(
    ['withdrawn', 'withdraw_partial'],
    '`withdrawn` when every device that had got the push accepted the command, `withdraw_partial` when some did.',
  ),
  accepted: count('Devices whose push provider has accepted the command.'),
});
export type NotificationWithdrawn = Static<typeof NotificationWithdrawn>;

export const Notifications = {
  send: answers(NotificationCreated)('notifications.notification.send', SendNotification, [
    'input.invalid',
    'app.not_found',
    'device.not_found',
    'device_group.not_found',
    'oncall_group.not_found',
  ]),
  withdraw: answers(NotificationWithdrawn)('notifications.notification.withdraw', WithdrawNotification, [
    'input.invalid_id',
    'notification.not_found',
    'notification.withdraw_not_accepted',
  ]),
};

/** Only there while a benchmark runs. */
export const Bench = {
  echo: answers<SendNotification>()('notifications.bench.echo', SendNotification),
};
