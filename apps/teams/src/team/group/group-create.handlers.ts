import { type Answer, type Context, Handles } from '@carillon/bus';
import { CreateDeviceGroup, type DeviceGroup as GroupView, DeviceGroups } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { Makings } from '../making.service';
import { asMember, insistOn, team } from '../team';
import { createGroup } from './create-group';
import { Devices } from './devices.client';
import { GroupViews } from './group-views.service';

interface Made {
  readonly group: GroupView;
  readonly idempotent?: true;
}

@Controller()
export class GroupCreateHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Makings) private readonly makings: Makings,
    @Inject(Devices) private readonly devices: Devices,
    @Inject(GroupViews) private readonly groups: GroupViews,
  ) {}

  @Handles(DeviceGroups.create)
  async create(
    { id: teamId, name, userIds: accountIds = [], deviceIds = [] }: CreateDeviceGroup,
    context: Context,
  ): Promise<Answer<Made>> {
    const { accountId } = context.caller;
    // Checked before any lookup of data that only admins may see.
    const { state: found } = await this.log.load(team, streamTail(teamId));
    insistOn(asMember(found, { teamId, accountId }).role, 'admin');
    const { subject } = DeviceGroups.create;
    return this.makings.make(
      {
        ...{ teamId, prefix: 'dgr', subject },
        decide: async ({ id: groupId, fingerprint, at }) => {
          const known = await this.devices.owners(deviceIds, context);
          return createGroup({
            ...{ teamId, accountId, groupId, name, accountIds, deviceIds, known, fingerprint, at },
          });
        },
        shown: async (state, groupId, position) => ({
          group: await this.groups.one(state, groupId, String(position)),
        }),
      },
      context,
    );
  }
}
