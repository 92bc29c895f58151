import { instant, type Instant } from '@carillon/eventing';
import { dueAt } from './due';
import type { Lane } from './lane';

/** A lane as the database gives it. */
export interface LaneRow {
  readonly activity_id: string;
  readonly device_id: string;
  readonly account_id: string;
  /** Who has the activity beside the account. */
  readonly recipients: readonly string[] | null;
  readonly correlation_id: string;
  readonly lane: Lane;
}

/** What a statement on `lanes` gives a `LaneRow`. */
export const laneColumns = 'activity_id, device_id, account_id, recipients, correlation_id, lane';

/** The context for which a row seals an activity's update token. */
export const updateTokenContext = (activityId: string, deviceId: string): string =>
  `update token of ${activityId} on ${deviceId}`;

/** What a lane is held for while its device has told no address for it. */
export const noAddress = 'address';

/** When somebody has to look at the row again; null when something has to come first. */
export const dueInstant = (lane: Lane): Instant | null => {
  const due = dueAt(lane);
  return due === null ? null : instant(due);
};
