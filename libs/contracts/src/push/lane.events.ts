import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';
import type { PushEnvironment } from './push.contracts';

/** Stream `lane-<tail of the activity id><tail of the device id>`. */
export type LaneEvent = ActivityTokenRegistered | ActivityPushed;

/** A phone registered its token for updates of the activity. */
export interface ActivityTokenRegistered {
  readonly type: 'ActivityTokenRegistered';
  readonly activityId: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly token: string | null;
  readonly environment: PushEnvironment;
  readonly registeredAt: Instant;
}

/** The outcome of one operation on one device. */
export interface ActivityPushed extends WithRecipients {
  readonly type: 'ActivityPushed';
  readonly activityId: string;
  readonly deviceId: string;
  readonly operation: 'start' | 'update' | 'end';
  readonly sequence: number;
  /** More than 0 if the operation was sent again, because the phone has a new update token or registered again. */
  readonly round?: number;
  /**
   * `accepted` and `failed` are final results of the provider; `superseded`: a newer operation replaced it before it
   * was sent; `dropped`: the activity's deadline came first, or there was nothing to end.
   */
  readonly outcome: 'accepted' | 'failed' | 'superseded' | 'dropped';
  readonly errorCode: string | null;
  readonly pushedAt: Instant;
}
