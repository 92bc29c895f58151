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
  /** The id of its quota slot, when that is not its stream's tail: the device registered again after it was removed. */
  readonly slotId?: string;
  /**
   * The app session that registered the device, the only one that may act for it. Absent in events from before this.
   */
  readonly sessionId?: string;
  /** The previous session of the device, which ends with this event. */
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
 * The address no longer works, or belongs to a newer registration. A new registration makes the device active again; so
 * does a new address if only the old one stopped working.
 */
export interface DeviceDeactivated {
  readonly type: 'DeviceDeactivated';
  readonly deviceId: string;
  readonly accountId: string;
  readonly reason: 'unregistered' | 'bad_token' | 'moved' | 'removed';
  /** The session of a removed device, which ends with this event. */
  readonly endedSessionId?: string;
  readonly deactivatedAt: Instant;
}

/** From `from` up to `to` on the wall clock of a zone: across midnight where `to` is not later, all day where equal. */
export interface QuietHoursFact {
  /** `HH:mm`. */
  readonly from: string;
  readonly to: string;
  /** The IANA name of the zone, as in the request. */
  readonly timezone: string;
}

/** Stream `quiet_hours-<tail of the account id>`: when notifications do not ring the devices of the account. */
export interface QuietHoursSet {
  readonly type: 'QuietHoursSet';
  readonly accountId: string;
  /** Null for all devices that have no quiet hours of their own. */
  readonly deviceId: string | null;
  /** Null: none. */
  readonly hours: QuietHoursFact | null;
  readonly setAt: Instant;
}

/** Stream `device_session-<tail of the session id>`: the device of an app session, which is set once. */
export interface DeviceSessionBound {
  readonly type: 'DeviceSessionBound';
  readonly sessionId: string;
  readonly accountId: string;
  /** The tail of the device's stream. Its registration follows. */
  readonly device: string;
  readonly boundAt: Instant;
}

/**
 * Stream `device_seen-<tail of the id>`, of which the newest 200 events are kept: the pushes that a phone reported as
 * received, and the time of its last contact.
 */
export interface DeviceSeen {
  readonly type: 'DeviceSeen';
  readonly deviceId: string;
  readonly accountId: string;
  readonly received: readonly { readonly notificationId: string; readonly receivedAt: Instant }[];
  readonly seenAt: Instant;
}

/** Stream `delivery-<subject id>`: the outcome of one push to all its devices. */
export type DeliveryEvent = PushReported | PushCleared;

/**
 * The outcome of a push: one event if every device is settled within 10 s, else one at 10 s with `final: false` and one
 * at the end.
 */
export interface PushReported extends WithRecipients {
  readonly type: 'PushReported';
  readonly subjectId: string;
  readonly accepted: number;
  /** At most 500. A final report is preceded by a `PushReceiptsNoted` for each further 500. */
  readonly receipts: readonly PushReceipt[];
  /** The number of devices of the push, if it exceeds the number of receipts in this event. */
  readonly targets?: number;
  readonly final: boolean;
  readonly reportedAt: Instant;
}

/** Stream `delivery_receipts-<subject id>`: the receipts of a push that exceed the maximum of its report. */
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
   * Devices whose push was in progress or has an unknown outcome: each gets the clearing once its push is settled, and
   * an event without these follows.
   */
  readonly left?: readonly string[];
  readonly clearedAt: Instant;
}
