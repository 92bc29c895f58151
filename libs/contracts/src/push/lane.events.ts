import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';
import type { PushEnvironment } from './push.contracts';

/** Stream `lane-<tail of the activity id><tail of the device id>`. */
export type LaneEvent = ActivityTokenRegistered | ActivityPushed;

/** The phone says where updates of this activity reach it. */
export interface ActivityTokenRegistered {
  readonly type: 'ActivityTokenRegistered';
  readonly activityId: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly token: string | null;
  readonly environment: PushEnvironment;
  readonly registeredAt: Instant;
}

/** What became of one operation on one device. */
export interface ActivityPushed extends WithRecipients {
  readonly type: 'ActivityPushed';
  readonly activityId: string;
  readonly deviceId: string;
  readonly operation: 'start' | 'update' | 'end';
  readonly sequence: number;
  /** More than 0 when the phone was told the same again: it has a new update token, or has registered anew. */
  readonly round?: number;
  /**
   * `accepted` and `failed` are the provider's last words; `superseded`: a newer one took its place unsent; `dropped`:
   * the activity's deadline came first, or there was nothing to end.
   */
  readonly outcome: 'accepted' | 'failed' | 'superseded' | 'dropped';
  readonly errorCode: string | null;
  readonly pushedAt: Instant;
}
