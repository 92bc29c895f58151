import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ChangeDeviceGroup,
  DeviceGroupById,
  type DeviceGroup as GroupView,
  DeviceGroups,
  ListDeviceGroups,
  type ListPage,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, Cursors, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { laterOf } from '../../person/people.service';
import { listed, newestFirst } from '../newest-first';
import { asMember, insistOn, team } from '../team';
import { changeGroup } from './change-group';
import { deleteGroup } from './delete-group';
import { Devices } from './devices.client';
import { groupOf } from './naming';
import { GroupViews } from './group-views.service';

@Controller()
export class GroupHandlers {
  private readonly cursors = new Cursors('device group', newestFirst);

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Devices) private readonly devices: Devices,
    @Inject(GroupViews) private readonly groups: GroupViews,
  ) {}

  @Handles(DeviceGroups.list)
  async list(input: ListDeviceGroups, context: Context): Promise<Answer<ListPage<GroupView>>> {
    const page = this.cursors.asked([context.caller.accountId, input.id], input);
    const { team: found, after } = await this.asked(input.id, context);
    const rows = listed(found.groups, ({ groupId }) => groupId, page.key);
    const groups = rows.slice(0, page.limit).map(({ entry }) => entry);
    return answer(page.of(rows, await this.groups.of(found.teamId, groups, after)));
  }

  @Handles(DeviceGroups.get)
  async get({ id, groupId }: DeviceGroupById, context: Context): Promise<Answer<{ group: GroupView }>> {
    const { team: found, after } = await this.asked(id, context);
    return answer({ group: await this.groups.one(found, groupId, after) });
  }

  @Handles(DeviceGroups.change)
  async change(
    { id: teamId, groupId, name, userIds, deviceIds }: ChangeDeviceGroup,
    context: Context,
  ): Promise<Answer<{ group: GroupView }>> {
    if (name === undefined && !userIds && !deviceIds) throw new Refused('input.empty_update');
    const { team: found, role } = await this.asked(teamId, context);
    // Checked before any lookup of data that only admins may see.
    groupOf(found, groupId);
    insistOn(role, 'admin');
    const known = await this.devices.owners(deviceIds, context);
    const asked = { teamId, accountId: context.caller.accountId, at: this.clock.now() };
    const { state, position } = await this.log.transact(
      team,
      streamTail(teamId),
      changeGroup({ ...asked, groupId, name, accountIds: userIds, deviceIds, known }),
      metadataOf(context, teamId),
    );
    return answer({ group: await this.groups.one(state, groupId, String(position)) }, position);
  }

  @Handles(DeviceGroups.remove)
  async remove({ id: teamId, groupId }: DeviceGroupById, context: Context): Promise<Answer<{ ok: true }>> {
    const { position } = await this.log.transact(
      team,
      streamTail(teamId),
      deleteGroup({ teamId, groupId, accountId: context.caller.accountId, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    return answer({ ok: true }, position);
  }

  /** The team from the log, and the position that the rows with the names must include. */
  private async asked(
    teamId: string,
    { caller, after }: Context,
  ): Promise<ReturnType<typeof asMember> & { readonly after: string }> {
    const { state, position } = await this.log.load(team, streamTail(teamId));
    return { ...asMember(state, { teamId, accountId: caller.accountId }), after: laterOf(after, position) };
  }
}
