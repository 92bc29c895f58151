import {
  About,
  id,
  Id,
  list,
  ListOf,
  nullable,
  object,
  Optional,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';
import { Device } from '../push/push.contracts';

export const DeviceGroup = resource(
  'DeviceGroup',
  {
    id: id('dgr'),
    teamId: id('team'),
    name: text(),
    members: list(
      object({ userId: id('usr'), name: text(), email: text(), image: nullable(uri()) }),
      'People of the team with all their active devices.',
    ),
    devices: list(
      object({ id: id('dev'), deviceName: nullable(text()), userId: id('usr'), userName: text() }),
      'Single devices of people of the team.',
    ),
    createdAt: when(),
    updatedAt: when(),
  },
  'People and devices of a team that can be reached together.',
);
export type DeviceGroup = Static<typeof DeviceGroup>;

export const TeamDevice = resource(
  'TeamDevice',
  { ...Device.properties, userId: id('usr'), userName: text() },
  'A phone of somebody in the team.',
);
export type TeamDevice = Static<typeof TeamDevice>;

export class ListDeviceGroups extends ListQuery {
  @Id('team') id!: string;
}

export class ListTeamDevices extends ListQuery {
  @Id('team') id!: string;
  @About('Only the devices of this member.') @Optional() @Id('usr') userId?: string;
}

export class DeviceGroupById {
  @Id('team') id!: string;
  @Id('dgr') groupId!: string;
}

export class ChangeDeviceGroup extends DeviceGroupById {
  @Optional() @Text(1, 80) name?: string;
  @About('All of them from now on.')
  @Optional()
  @ListOf(Id.rule('usr'), { min: 0, max: 100, unique: true })
  userIds?: string[];
  @About('All of them from now on.')
  @Optional()
  @ListOf(Id.rule('dev'), { min: 0, max: 200, unique: true })
  deviceIds?: string[];
}

export class CreateDeviceGroup {
  @Id('team') id!: string;
  @Text(1, 80) name!: string;
  @Optional() @ListOf(Id.rule('usr'), { min: 0, max: 100, unique: true }) userIds?: string[];
  @Optional() @ListOf(Id.rule('dev'), { min: 0, max: 200, unique: true }) deviceIds?: string[];
}

export class AudienceOf {
  @Id('dgr') groupId!: string;
}

/** The accounts and devices that a device group reaches, without the devices of its members. */
export interface GroupAudience {
  teamId: string;
  /** The members of the group, with all their active devices. */
  accountIds: string[];
  /** The devices in the group itself. */
  deviceIds: string[];
  /** The owners of these devices, each once. */
  ownerIds: string[];
}

const OneGroup = object({ group: DeviceGroup });

export const DeviceGroups = {
  list: answers<ListPage<DeviceGroup>>()(
    'teams.device-group.list',
    ListDeviceGroups,
    ['team.unknown', 'list.invalid_cursor'],
    'always',
  ),
  /** `idempotent` if an earlier request with this key created the group. */
  create: answers<{ group: DeviceGroup; idempotent?: true }>()(
    'teams.device-group.create',
    CreateDeviceGroup,
    [
      'team.unknown',
      'team.forbidden_role',
      'member.not_found',
      'device.not_found',
      'device_group.unknown',
      'name.taken',
      'resource.limit_reached',
    ],
    'always',
  ),
  get: answers(OneGroup)(
    'teams.device-group.get',
    DeviceGroupById,
    ['team.unknown', 'device_group.unknown'],
    'always',
  ),
  change: answers(OneGroup)('teams.device-group.change', ChangeDeviceGroup, [
    'team.unknown',
    'device_group.unknown',
    'team.forbidden_role',
    'member.not_found',
    'device.not_found',
    'name.taken',
    'input.empty_update',
  ]),
  remove: answers(Ok)('teams.device-group.remove', DeviceGroupById, [
    'team.unknown',
    'device_group.unknown',
    'team.forbidden_role',
  ]),
  devices: answers<ListPage<TeamDevice>>()(
    'teams.device.list',
    ListTeamDevices,
    ['team.unknown', 'team.forbidden_role', 'list.invalid_cursor'],
    'always',
  ),
};
