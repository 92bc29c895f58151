import {
  type AgentNotification,
  type NotificationEvent,
  type NotificationSent,
  recipientsOf,
  type SendNotification,
} from '@carillon/contracts';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';

/** The state of a notification; null before it is sent. */
export type Notification = SentNotification | null;

interface SentNotification extends Omit<NotificationSent, 'type'> {
  readonly withdrawn: { readonly status: 'withdrawn' | 'withdraw_partial'; readonly accepted: number } | null;
}

export const notification: Decider<Notification, NotificationEvent> = {
  category: 'notification',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'NotificationSent': {
        const { type: _type, ...sent } = event;
        return { ...sent, withdrawn: null };
      }
      case 'NotificationWithdrawn':
        return state && { ...state, withdrawn: { status: event.status, accepted: event.accepted } };
    }
  },
  personal: {
    NotificationSent: ['title', 'body', 'summary', 'url', 'imageUrl', 'projectName', 'sourceName'],
    NotificationWithdrawn: [],
  },
};

/** What a person sends to one of their devices to see that it rings. */
export const testOf = (deviceId: string): SendNotification => ({
  title: 'This device rings',
  body: 'You asked for this notification, to see that it comes.',
  deviceIds: [deviceId],
});

export interface Sending {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string | null;
  readonly sourceName: string;
  readonly input: SendNotification;
  readonly deviceIds: readonly string[];
  /** How many devices their quiet hours left out. */
  readonly quiet?: number;
  readonly recipients?: readonly string[];
  readonly fingerprint: string | null;
  readonly at: Instant;
}

/** Sends the notification. An existing stream was started under the same idempotency key. */
export const send: Decision<Notification, NotificationEvent, Sending> =
  ({ id, accountId, tokenId, sourceName, input, deviceIds, fingerprint, at, ...audience }) =>
  (state) => {
    if (state) {
      if (state.fingerprint !== fingerprint) throw new Refused('idempotency.key_reused');
      return [];
    }
    return [
      {
        type: 'NotificationSent',
        notificationId: id,
        accountId,
        ...recipientsOf(audience),
        tokenId,
        sourceName,
        title: input.title,
        body: input.body,
        summary: input.summary ?? null,
        bodyFormat: input.bodyFormat ?? 'text',
        imageUrl: input.imageUrl ?? null,
        url: input.url ?? null,
        projectId: input.projectId ?? null,
        projectName: input.projectName ?? null,
        appId: input.appId ?? null,
        deviceIds,
        ...(audience.quiet !== undefined && { quietDevices: audience.quiet }),
        fingerprint,
        sentAt: at,
      },
    ];
  };

export interface Withdrawal {
  /** Devices that had the push, and those of them whose provider accepted the command to remove it. */
  readonly reached: number;
  readonly cleared: number;
  /** All that the push reached, when none of them can be told: their pages clear it when they open. */
  readonly unclearable?: number;
  readonly at: Instant;
}

/** Records the withdrawal. Nothing changes when no device received the command. */
export const withdraw: Decision<Notification, NotificationEvent, Withdrawal> =
  ({ reached, cleared, unclearable = 0, at }) =>
  (state) => {
    if (!state) throw new Refused('notification.not_found');
    if (state.withdrawn) return [];
    if (cleared === 0 && unclearable === 0) throw new Refused('notification.withdraw_not_accepted');
    return [
      {
        type: 'NotificationWithdrawn',
        notificationId: state.notificationId,
        accountId: state.accountId,
        ...recipientsOf(state),
        status: cleared >= reached ? 'withdrawn' : 'withdraw_partial',
        accepted: cleared,
        withdrawnAt: at,
      },
    ];
  };

/** The notification as the API shows it. */
export const notificationView = (sent: SentNotification): AgentNotification => ({
  id: sent.notificationId,
  title: sent.title ?? '',
  body: sent.body ?? '',
  imageUrl: sent.imageUrl,
  url: sent.url,
  createdAt: sent.sentAt,
  projectId: sent.projectId,
  summary: sent.summary,
  bodyFormat: sent.bodyFormat,
  ...(sent.appId && { appId: sent.appId }),
});
