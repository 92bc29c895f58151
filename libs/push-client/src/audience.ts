import { Bus, type Context } from '@carillon/bus';
import { type FoundTargets, Push, type ReachOf, type MembershipOf, Teams } from '@carillon/contracts';
import { unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { ActiveDevices } from './active-devices';

/** The requested target: the named devices, a device group, else all devices of the account. */
export interface Target {
  readonly deviceIds?: string[];
  readonly deviceGroupId?: string;
}

/** The resolved target, as it is recorded when the push is sent. */
export interface Reached {
  readonly deviceIds: readonly string[];
  /** How many devices are left out for their quiet hours; absent when none is. */
  readonly quiet?: number;
  /** Of a live activity, the devices that show it silently for their quiet hours; absent when none does. */
  readonly quietDeviceIds?: readonly string[];
  /** The receiving accounts other than the sender; absent when there are none. */
  readonly recipients?: readonly string[];
  /** The team of the targeted device group. */
  readonly teamId?: string;
}

/** Devices of one other account. */
export interface Guest {
  readonly accountId: string;
  readonly deviceIds: readonly string[];
}

/** Resolves the target of a request. A target within the account needs the push service only. */
@Injectable()
export class Audience {
  private readonly active = new ActiveDevices<Context, FoundTargets>(
    async (context) => (await this.bus.ask(Push.targets, {}, context)).value,
  );

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /**
   * Devices in their quiet hours are left out unless it is urgent. Refused `device.not_found` when a named device is
   * not an active one of the account, and `device_group.not_found` when the account is not in the team of the group.
   */
  async of({ deviceIds, deviceGroupId }: Target, context: Context, urgent = false): Promise<Reached> {
    if (deviceGroupId !== undefined) return this.ofGroup(deviceGroupId, context, urgent);
    if (deviceIds === undefined && !urgent) return this.active.of(context.caller.accountId, context);
    const asked = { ...(deviceIds !== undefined && { deviceIds }), ...(urgent && { urgent }) };
    return (await this.bus.ask(Push.targets, asked, context)).value;
  }

  /**
   * As `of`, for a live activity: only the devices that can show one, perhaps none. Those in their quiet hours show it
   * too, and are named unless it is urgent, or has no sound anyway.
   */
  async ofActivity(
    { deviceIds, deviceGroupId }: Target,
    context: Context,
    urgent: boolean,
  ): Promise<Reached & { readonly guests: readonly Guest[] }> {
    if (deviceGroupId !== undefined) {
      const group = await this.group(deviceGroupId, context);
      return this.reach({ ...group.asked, forActivity: true, urgent }, group.people, context);
    }
    const asked = { ...(deviceIds && { deviceIds }), urgent };
    return { ...(await this.bus.ask(Push.activityTargets, asked, context)).value, guests: [] };
  }

  /** The team of the targeted device group; undefined when the target is no group. */
  async teamOf({ deviceGroupId }: Target, context: Context): Promise<string | undefined> {
    return deviceGroupId === undefined ? undefined : (await this.group(deviceGroupId, context)).teamId;
  }

  /** All current members of the family; the account alone when it is no longer a member. */
  async ofFamily(familyId: string, context: Context): Promise<Reached> {
    const { accountId } = context.caller;
    const memberIds = await this.inFamily({ teamId: familyId, accountId }, context);
    if (memberIds.length === 0) return this.of({}, context);
    return this.reach({ accountIds: memberIds, deviceIds: [] }, memberIds, context);
  }

  /** The members; empty when the account is not a member, or the family was deleted. */
  private async inFamily(asked: MembershipOf, context: Context): Promise<string[]> {
    const answered = await unless('team.unknown', this.bus.ask(Teams.membership, asked, context));
    return answered && answered.value.role !== null ? answered.value.memberIds : [];
  }

  private async ofGroup(groupId: string, context: Context, urgent: boolean): Promise<Reached> {
    const { teamId, asked, people } = await this.group(groupId, context);
    return { ...(await this.reach({ ...asked, ...(urgent && { urgent }) }, people, context)), teamId };
  }

  private async group(groupId: string, context: Context) {
    const { value } = await this.bus.ask(Teams.audience, { groupId }, context);
    const { teamId, accountIds, deviceIds, ownerIds } = value;
    return { teamId, asked: { accountIds, deviceIds }, people: [...accountIds, ...ownerIds] };
  }

  private async reach(asked: ReachOf, people: readonly string[], context: Context) {
    const { devices, ...quiet } = (await this.bus.ask(Push.reach, asked, context)).value;
    const { accountId: sender } = context.caller;
    const recipients = [...new Set(people)].filter((accountId) => accountId !== sender).sort();
    // A group of hundreds of people has thousands of devices: one pass over them.
    const idsOf = new Map<string, string[]>(recipients.map((accountId) => [accountId, []]));
    for (const { accountId, deviceId } of devices) idsOf.get(accountId)?.push(deviceId);
    const guests = [...idsOf].map(([accountId, deviceIds]) => ({ accountId, deviceIds }));
    return {
      deviceIds: devices.map(({ deviceId }) => deviceId).sort(),
      ...quiet,
      ...(recipients.length > 0 && { recipients }),
      guests: guests.filter(({ deviceIds }) => deviceIds.length > 0),
    };
  }
}
