import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { DeviceGroups, ListTeamDevices, type ListPage, type TeamDevice } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Cursors } from '@carillon/runtime';
import { sortedBy, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { laterOf, People } from '../../person/people.service';
import { asMember, insistOn, team } from '../team';
import { Devices } from './devices.client';

/** As the service push sorts them. */
const order = sortedBy(['lastSeenAt', 'desc'], ['id', 'desc']);

/** The devices that groups of a team may name. */
@Controller()
export class TeamDevicesHandlers {
  private readonly cursors = new Cursors('team device', order);

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Devices) private readonly devices: Devices,
    @Inject(People) private readonly people: People,
  ) {}

  @Handles(DeviceGroups.devices)
  async list(input: ListTeamDevices, context: Context): Promise<Answer<ListPage<TeamDevice>>> {
    const { id: teamId, userId = null } = input;
    const { accountId } = context.caller;
    const page = this.cursors.asked([accountId, teamId, userId], input);
    const { limit, key } = page;
    const { state, position } = await this.log.load(team, streamTail(teamId));
    const { team: asked, role } = asMember(state, { teamId, accountId });
    insistOn(role, 'admin');
    const members = asked.members.map((member) => member.accountId);
    const { devices, more } = await this.devices.ofAccounts(
      members.filter((member) => userId === null || member === userId),
      { limit, ...(key && { before: key }) },
      context,
    );
    const personOf = await this.people.of(
      [...new Set(devices.map((device) => device.userId))],
      laterOf(context.after, position),
    );
    const items = devices.map((device) => ({ ...device, userName: personOf(device.userId).name }));
    return answer(page.of(items, items, more));
  }
}
