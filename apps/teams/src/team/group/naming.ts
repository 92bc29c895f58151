import type { GroupDevice } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import type { DeviceGroup } from '../groups';
import { sameName } from '../naming';
import { memberOf, type Team } from '../team';

/** Of devices that are known, those that are asked for, each of somebody who is in the team at this moment. */
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

/** Names differ in more than their case, within one team. */
export function insistOnFreeName({ groups }: Team, name: string, ownGroupId?: string): void {
  const taken = groups.some((group) => group.groupId !== ownGroupId && sameName(group.name, name));
  if (taken) throw new Refused('name.taken');
}

/** Refused `device_group.unknown` when the team has none of this id. */
export function groupOf({ groups }: Pick<Team, 'groups'>, groupId: string): DeviceGroup {
  const group = groups.find((each) => each.groupId === groupId);
  if (!group) throw new Refused('device_group.unknown');
  return group;
}
