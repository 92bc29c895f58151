import {
  About,
  bool,
  count,
  either,
  exactly,
  Id,
  IdLike,
  id,
  Link,
  ListOf,
  NotBeside,
  Nullable,
  nullable,
  OneOf,
  oneOf,
  Optional,
  optional,
  resource,
  Slug,
  type Static,
  Text,
  text,
  uri,
  when,
} from '@carillon/schema';
import { answers } from '../contract';
import { OncallPageCreated } from '../oncall/pages.contracts';
import { DeviceById } from '../push/push.contracts';

export const bodyFormats = ['text', 'markdown'] as const;
export type BodyFormat = (typeof bodyFormats)[number];

/** Sends a notification from an agent to a person's phones and inbox. */
@NotBeside('deviceIds', ['deviceGroupId'])
@NotBeside('oncall', ['deviceIds', 'deviceGroupId', 'summary', 'bodyFormat', 'projectId'])
export class SendNotification {
  @Text(1, 120) title!: string;
  @About('The whole text. A push shows its beginning, or the summary.')
  @Text(1, 8000, { multiline: true })
  body!: string;
  @About('What the push shows instead of the body.')
  @Optional()
  @Text(1, 280)
  summary?: string;
  @About('How the body is written; `text` unless said.')
  @Optional()
  @OneOf(bodyFormats)
  bodyFormat?: BodyFormat;
  @About('A picture to show with it.')
  @Optional()
  @Nullable()
  @Link('https')
  imageUrl?: string | null;
  @About('Where a tap leads.')
  @Optional()
  @Nullable()
  @Link('tap')
  url?: string | null;
  @About('A label of your own, by which the inbox groups.')
  @Optional()
  @Nullable()
  @Slug()
  projectId?: string | null;
  @About('How the inbox calls the project.')
  @Optional()
  @Text(1, 80)
  projectName?: string;
  @About('The web app that a tap opens.')
  @Optional()
  @Id('app')
  appId?: string;
  @About('These active devices only.')
  @Optional()
  @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true })
  deviceIds?: string[];
  @About('The devices of this group, and the inboxes of its people.')
  @Optional()
  @Id('dgr')
  deviceGroupId?: string;
  @About('The on-call group to page instead.')
  @Optional()
  @Id('ocg')
  oncall?: string;
}

export class WithdrawNotification {
  @About('`anot_…`, or `notification:anot_…` as the inbox names it.')
  @IdLike(/^(?:notification:)?anot_[A-Za-z0-9_:.-]*$/, 'must be the id of a notification')
  id!: string;
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
  /** With `oncall`, answers the page that the request created or that absorbed it. */
  send: answers(either(NotificationCreated, OncallPageCreated))(
    'notifications.notification.send',
    SendNotification,
    [
      'input.invalid',
      'app.not_found',
      'device.not_found',
      'device_group.not_found',
      'oncall_group.not_found',
      'page.too_many',
    ],
    'always',
  ),
  /** Sends a notification that says so to one active device of the account, also in its quiet hours. */
  test: answers(NotificationCreated)(
    'notifications.notification.test',
    DeviceById,
    ['device.not_found'],
    'always',
  ),
  withdraw: answers(NotificationWithdrawn)('notifications.notification.withdraw', WithdrawNotification, [
    'input.invalid_id',
    'notification.not_found',
    'notification.withdraw_not_accepted',
  ]),
};

/** Only available while a benchmark runs. */
export const Bench = {
  echo: answers<SendNotification>()('notifications.bench.echo', SendNotification, [], 'always'),
};
