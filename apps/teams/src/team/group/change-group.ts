import type { DeviceGroupChanged, GroupDevice, TeamEvent } from '@carillon/contracts';
import type { Decision } from '@carillon/eventing';
import type { DeviceGroup } from '../groups';
import { insistOnMembers } from '../naming';
import { type TeamRequest, asMember, insistOn, type TeamState } from '../team';
import { devicesOf, groupOf, insistOnFreeName } from './naming';

export interface Changing extends TeamRequest {
  readonly groupId: string;
  readonly name: string | undefined;
  readonly accountIds: readonly string[] | undefined;
  readonly deviceIds: readonly string[] | undefined;
  /** Push's answer about those devices. */
  readonly known: readonly GroupDevice[];
}

/** Changes the given fields and replaces lists as a whole. Unchanged fields cause no event. */
export const changeGroup: Decision<TeamState, TeamEvent, Changing> =
  ({ groupId, name, accountIds, deviceIds, known, ...asked }) =>
  (state) => {
    const { team, role } = asMember(state, asked);
    const group = groupOf(team, groupId);
    insistOn(role, 'admin');
    if (accountIds) insistOnMembers(team, accountIds);
    const devices = deviceIds && devicesOf(team, deviceIds, known);
    if (name !== undefined) insistOnFreeName(team, name, groupId);
    const changes = changesOf(group, { name, accountIds, devices });
    return Object.keys(changes).length === 0
      ? []
      : [{ type: 'DeviceGroupChanged', teamId: asked.teamId, groupId, ...changes, changedAt: asked.at }];
  };

interface GroupChangeRequest {
  readonly name: string | undefined;
  readonly accountIds: readonly string[] | undefined;
  readonly devices: readonly GroupDevice[] | undefined;
}

const changesOf = (
  group: DeviceGroup,
  { name, accountIds, devices }: GroupChangeRequest,
): Omit<DeviceGroupChanged, 'type' | 'teamId' | 'groupId' | 'changedAt'> => ({
  ...(name !== undefined && name !== group.name && { name, formerName: group.name }),
  ...(accountIds &&
    !areSame(accountIds, group.accountIds) && { accountIds, formerAccountIds: group.accountIds }),
  ...(devices &&
    !areSame(devices.map(markOf), group.devices.map(markOf)) && { devices, formerDevices: group.devices }),
});

/** Identifies a registration: a device that was removed and came back counts as another one. */
const markOf = ({ deviceId, removals }: GroupDevice): string => `${deviceId} ${removals}`;

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index]);
