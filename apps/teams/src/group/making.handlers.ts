import { answer, type Answer, type Context, createOnce, Handles, insistOnSameUse } from '@carillon/bus';
import { CreateDeviceGroup, type DeviceGroup as ShownGroup, DeviceGroups } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { madeAs } from '../team/made';
import { asMember, insistOn, team, type TeamState } from '../team/team';
import { createGroup } from './create-group';
import { Devices } from './devices.client';
import { KeyedGroups } from './keyed-groups.service';
import { ShownGroups } from './shown-groups.service';

interface Made {
  readonly group: ShownGroup;
  readonly idempotent?: true;
}

@Controller()
export class MakingHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Devices) private readonly devices: Devices,
    @Inject(KeyedGroups) private readonly keyed: KeyedGroups,
    @Inject(ShownGroups) private readonly groups: ShownGroups,
  ) {}

  @Handles(DeviceGroups.create)
  async create(input: CreateDeviceGroup, context: Context): Promise<Answer<Made>> {
    const { accountId, tokenId = '' } = context.caller;
    // Before anything is looked up that only an admin may learn of.
    insistOn(asMember(await this.find(input.id), { teamId: input.id, accountId }).role, 'admin');
    const { subject } = DeviceGroups.create;
    return createOnce(context, {
      idOf: (...parts) => deriveId('dgr', this.clock.ms(), subject, accountId, tokenId, ...parts),
      attempt: (groupId) => this.createAs(groupId, input, context),
      exists: async (groupId) => madeAs(await this.find(input.id), groupId) !== undefined,
    });
  }

  private async createAs(
    groupId: string,
    { id: teamId, name, userIds = [], deviceIds = [] }: CreateDeviceGroup,
    context: Context,
  ): Promise<Answer<Made>> {
    const at = this.clock.now();
    await this.keyed.insistOnSameRequest(groupId, at, context);
    const creating = createGroup({
      teamId,
      accountId: context.caller.accountId,
      groupId,
      name,
      accountIds: userIds,
      deviceIds,
      known: await this.devices.owners(deviceIds, context),
      fingerprint: context.idempotency?.fingerprint ?? null,
      at,
    });
    const { state, events, position } = await this.log.transact(
      team,
      streamTail(teamId),
      (found) => {
        insistOnSameUse(madeAs(found, groupId)?.at, at);
        return creating(found);
      },
      metadataOf(context, teamId),
    );
    const group = await this.groups.one(state, madeAs(state, groupId)?.id, String(position));
    return answer({ group, ...(events.length === 0 && { idempotent: true }) }, position);
  }

  private async find(teamId: string): Promise<TeamState> {
    return (await this.log.load(team, streamTail(teamId))).state;
  }
}
