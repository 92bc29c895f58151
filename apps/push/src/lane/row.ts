import { instant, type Instant } from '@carillon/eventing';
import { dueAt } from './due';
import type { Lane } from './lane';

/** A lane as the database gives it. */
export interface LaneRow {
  readonly activity_id: string;
  readonly device_id: string;
  readonly account_id: string;
  readonly correlation_id: string;
  readonly lane: Lane;
}

/** What a statement on `lanes` gives a `LaneRow`. */
export const laneColumns = 'activity_id, device_id, account_id, correlation_id, lane';

/** For what an activity's update token is sealed in a row. */
export const updateTokenContext = (activityId: string, deviceId: string): string =>
  `update token of ${activityId} on ${deviceId}`;

/** What a try waits for when its device has told no address for it yet. */
export const noAddress = 'address';

/** When somebody has to look at the row again; null when something has to come first. */
export const dueInstant = (lane: Lane): Instant | null => {
  const due = dueAt(lane);
  return due === null ? null : instant(due);
};
