import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';
import type { Platform, PushEnvironment, PushReceipt } from './push.contracts';

/** Stream `device-<tail of the id>`. */
export type DeviceEvent = DeviceRegistered | DeviceTokensChanged | DeviceDeactivated;

export interface DeviceRegistered {
  readonly type: 'DeviceRegistered';
  readonly deviceId: string;
  readonly accountId: string;
  readonly installId: string | null;
  /** Under what it reserves a slot of its account, when that is not its stream's tail: it came back after it was removed. */
  readonly slotId?: string;
  /** The app's session that registered it: no other speaks for it. Absent where that was not asked yet. */
  readonly sessionId?: string;
  /** The session that it had before. It ends with this event. */
  readonly endedSessionId?: string;
  readonly platform: Platform;
  readonly deviceName: string | null;
  readonly pushToken: string | null;
  readonly pushEnvironment: PushEnvironment;
  readonly pushToStartToken: string | null;
  readonly appBuild: string;
  readonly liveActivitiesCapable: boolean;
  readonly interactiveLiveActivitiesCapable: boolean;
  readonly registeredAt: Instant;
}

export interface DeviceTokensChanged {
  readonly type: 'DeviceTokensChanged';
  readonly deviceId: string;
  readonly accountId: string;
  readonly pushToken: string | null;
  readonly pushToStartToken: string | null;
  readonly environment: PushEnvironment;
  readonly changedAt: Instant;
}

/**
 * The address no longer works, or belongs to a newer registration. A new registration makes it active again; so does a
 * new address when only the old one had died.
 */
export interface DeviceDeactivated {
  readonly type: 'DeviceDeactivated';
  readonly deviceId: string;
  readonly accountId: string;
  readonly reason: 'unregistered' | 'bad_token' | 'moved' | 'removed';
  /** The session of a device that is removed. It ends with this event. */
  readonly endedSessionId?: string;
  readonly deactivatedAt: Instant;
}

/** Stream `device_session-<tail of the session id>`: for which device a session of the app is good. It is said once. */
export interface DeviceSessionBound {
  readonly type: 'DeviceSessionBound';
  readonly sessionId: string;
  readonly accountId: string;
  /** The tail of the device's stream; its registration follows. */
  readonly device: string;
  readonly boundAt: Instant;
}

/**
 * Stream `device_seen-<tail of the id>`, of which the newest 200 events are kept: what a phone says it has received,
 * and when it was last heard of.
 */
export interface DeviceSeen {
  readonly type: 'DeviceSeen';
  readonly deviceId: string;
  readonly accountId: string;
  readonly received: readonly { readonly notificationId: string; readonly receivedAt: Instant }[];
  readonly seenAt: Instant;
}

/** Stream `delivery-<subject id>`: what became of one push to all its devices. */
export type DeliveryEvent = PushReported | PushCleared;

/**
 * The outcome of a push. One event when every device is settled within 10 s; when one takes longer, one at 10 s
 * with `final: false` and one at the end.
 */
export interface PushReported extends WithRecipients {
  readonly type: 'PushReported';
  readonly subjectId: string;
  readonly accepted: number;
  /** 500 at most: a final report is preceded by a `PushReceiptsNoted` for each further 500. */
  readonly receipts: readonly PushReceipt[];
  /** To how many devices it went, when that is more than receipts are here. */
  readonly targets?: number;
  readonly final: boolean;
  readonly reportedAt: Instant;
}

/** Stream `delivery_receipts-<subject id>`: the receipts of a push to many devices for which its report has no slot. */
export interface PushReceiptsNoted {
  readonly type: 'PushReceiptsNoted';
  readonly subjectId: string;
  readonly accountId: string;
  readonly receipts: readonly PushReceipt[];
  readonly notedAt: Instant;
}

export interface PushCleared {
  readonly type: 'PushCleared';
  readonly subjectId: string;
  readonly accountId: string;
  readonly reached: number;
  readonly cleared: number;
  /**
   * Devices whose push was under way, or had an outcome that nobody knows: each is told once that is settled, and an event
   * without these follows.
   */
  readonly left?: readonly string[];
  readonly clearedAt: Instant;
}
