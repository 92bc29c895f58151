import type { GroupDevice } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import type { DeviceGroup } from '../groups';
import { sameName } from '../naming';
import { memberOf, type Team } from '../team';

/** The requested devices among the known ones. Each must belong to a current member of the team. */
export function devicesOf(
  team: Team,
  deviceIds: readonly string[],
  known: readonly GroupDevice[],
): readonly GroupDevice[] {
  const byId = new Map(known.map((device) => [device.deviceId, device]));
  return deviceIds.map((deviceId) => {
    const device = byId.get(deviceId);
    if (!device || !memberOf(team, device.accountId)) throw new Refused('device.not_found');
    return device;
  });
}

/** Requires a name that no other group of the team has, ignoring case. */
export function insistOnFreeName({ groups }: Team, name: string, ownGroupId?: string): void {
  const taken = groups.some((group) => group.groupId !== ownGroupId && sameName(group.name, name));
  if (taken) throw new Refused('name.taken');
}

/** Refused `device_group.unknown` if the team has no group of this id. */
export function groupOf({ groups }: Pick<Team, 'groups'>, groupId: string): DeviceGroup {
  const group = groups.find((each) => each.groupId === groupId);
  if (!group) throw new Refused('device_group.unknown');
  return group;
}
