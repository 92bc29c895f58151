import type {
  DeviceGroupChanged,
  DeviceGroupCreated,
  DeviceGroupDeleted,
  DeviceLeftGroups,
  GroupDevice,
} from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';

export type DeviceGroups = readonly DeviceGroup[];

export interface DeviceGroup {
  readonly groupId: string;
  readonly name: string;
  readonly accountIds: readonly string[];
  readonly devices: readonly GroupDevice[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export function evolveGroups(
  groups: DeviceGroups,
  event: DeviceGroupCreated | DeviceGroupChanged | DeviceGroupDeleted | DeviceLeftGroups,
): DeviceGroups {
  switch (event.type) {
    case 'DeviceGroupCreated': {
      const { groupId, name, accountIds, devices, createdAt } = event;
      return [...groups, { groupId, name: name ?? '', accountIds, devices, createdAt, updatedAt: createdAt }];
    }
    case 'DeviceGroupChanged':
      return groups.map((group) =>
        group.groupId === event.groupId
          ? {
              ...group,
              name: event.name ?? group.name,
              accountIds: event.accountIds ?? group.accountIds,
              devices: event.devices ?? group.devices,
              updatedAt: event.changedAt,
            }
          : group,
      );
    case 'DeviceGroupDeleted':
      return groups.filter(({ groupId }) => groupId !== event.groupId);
    case 'DeviceLeftGroups':
      return groups.map((group) => ({
        ...group,
        devices: group.devices.filter((device) => !isGone(device, event)),
      }));
  }
}

/** Whether a device was removed from its account after the group named it. */
export const isGone = (
  named: Pick<GroupDevice, 'deviceId' | 'removals'>,
  { deviceId, removals }: Pick<GroupDevice, 'deviceId' | 'removals'>,
): boolean => named.deviceId === deviceId && named.removals < removals;

/** The groups without a former member and that member's devices. */
export const withoutMember = (groups: DeviceGroups, leaver: string): DeviceGroups =>
  groups.map((group) => ({
    ...group,
    accountIds: group.accountIds.filter((accountId) => accountId !== leaver),
    devices: group.devices.filter(({ accountId }) => accountId !== leaver),
  }));
