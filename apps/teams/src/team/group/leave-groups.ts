import type { GroupDevice, TeamEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { isGone } from '../groups';
import type { TeamState } from '../team';

export interface Removed extends Pick<GroupDevice, 'deviceId' | 'removals'> {
  readonly teamId: string;
  readonly at: Instant;
}

/** Takes a removed device out of its groups, except where it was added after it had come back. */
export const leaveGroups: Decision<TeamState, TeamEvent, Removed> =
  ({ teamId, deviceId, removals, at }) =>
  (state) => {
    const isNamed = state?.groups.some(({ devices }) =>
      devices.some((device) => isGone(device, { deviceId, removals })),
    );
    return isNamed ? [{ type: 'DeviceLeftGroups', teamId, deviceId, removals, leftAt: at }] : [];
  };
