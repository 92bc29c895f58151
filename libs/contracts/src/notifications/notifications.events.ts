import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';
import type { BodyFormat } from './notifications.contracts';

/** Stream `notification-<tail of the id>`; written by the notifications service. */
export type NotificationEvent = NotificationSent | NotificationWithdrawnEvent;

export interface NotificationSent extends WithRecipients {
  readonly type: 'NotificationSent';
  readonly notificationId: string;
  /** Null for a notification from the service itself. */
  readonly tokenId: string | null;
  readonly sourceName: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly summary: string | null;
  readonly bodyFormat: BodyFormat;
  readonly imageUrl: string | null;
  readonly url: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  readonly appId: string | null;
  /** The target devices, including those of recipients, fixed at the time of sending; empty if there were none. */
  readonly deviceIds: readonly string[];
  /** How many devices their quiet hours left out; absent when none. */
  readonly quietDevices?: number;
  /** SHA-256 of the request, if it had an idempotency key. */
  readonly fingerprint: string | null;
  readonly sentAt: Instant;
}

export interface NotificationWithdrawnEvent extends WithRecipients {
  readonly type: 'NotificationWithdrawn';
  readonly notificationId: string;
  readonly status: 'withdrawn' | 'withdraw_partial';
  readonly accepted: number;
  readonly withdrawnAt: Instant;
}
