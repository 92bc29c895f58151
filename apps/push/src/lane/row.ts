import { instant, type Instant } from '@carillon/eventing';
import { dueAt } from './due';
import type { Lane } from './lane';

/** For what place an activity's update token is sealed in a row. */
export const updateTokenPlace = (activityId: string, deviceId: string): string =>
  `update token of ${activityId} on ${deviceId}`;

/** What a try waits for when its device has told no address for it yet. */
export const noAddress = 'address';

/** When somebody has to look at the row again; null when something has to come first. */
export const dueInstant = (lane: Lane): Instant | null => {
  const due = dueAt(lane);
  return due === null ? null : instant(due);
};
