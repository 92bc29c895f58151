import { count, id, instant, listOf, nullable, oneOf } from '../published/fields';
import type { Publications } from '../published/publication';
import type { NotificationEvent } from './notifications.events';

export const notificationPublications: Publications<NotificationEvent> = {
  NotificationSent: {
    name: 'notifications.notification.sent',
    id: 'notificationId',
    time: 'sentAt',
    summary: 'A notification exists, and is on its way to these devices.',
    data: {
      notificationId: id,
      accountId: id,
      tokenId: nullable(id),
      appId: nullable(id),
      deviceIds: listOf(id),
      recipients: nullable(listOf(id)),
      sentAt: instant,
    },
  },
  NotificationWithdrawn: {
    name: 'notifications.notification.withdrawn',
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
  },
};
