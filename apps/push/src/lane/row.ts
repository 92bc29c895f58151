import { instant, type Instant } from '@carillon/eventing';
import { dueAt } from './due';
import type { Lane } from './lane';

/** A lane as the database returns it. */
export interface LaneRow {
  readonly activity_id: string;
  readonly device_id: string;
  readonly account_id: string;
  /** The recipients of the activity besides the account. */
  readonly recipients: readonly string[] | null;
  readonly correlation_id: string;
  readonly lane: Lane;
}

/** The columns of a `LaneRow`, for a statement on `lanes`. */
export const laneColumns = 'activity_id, device_id, account_id, recipients, correlation_id, lane';

/** The context that an activity's update token in a row is sealed for. */
export const updateTokenContext = (activityId: string, deviceId: string): string =>
  `update token of ${activityId} on ${deviceId}`;

/** The reason for holding a lane whose device has not registered an address for it. */
export const noAddress = 'address';

/** When the row is due next; null when it waits for an event. */
export const dueInstant = (lane: Lane): Instant | null => {
  const due = dueAt(lane);
  return due === null ? null : instant(due);
};
