import type { DeviceGroup as GroupView } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { People } from '../../person/people.service';
import type { DeviceGroup } from '../groups';
import type { TeamState } from '../team';

/** Views of device groups, with the names of people and devices. */
@Injectable()
export class GroupViews {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(People) private readonly people: People,
  ) {}

  /** One group of the team. Refused `device_group.unknown` if the team has no group of this id. */
  async one(state: TeamState, groupId: string, after?: string): Promise<GroupView> {
    const group = state?.groups.find((each) => each.groupId === groupId);
    if (!state || !group) throw new Refused('device_group.unknown');
    const [shown] = await this.of(state.teamId, [group], after);
    if (!shown) throw new Error('A group was shown without a trace');
    return shown;
  }

  /** Groups as the API shows them, without removed devices, from rows that include the log position `after`. */
  async of(teamId: string, groups: readonly DeviceGroup[], after?: string): Promise<GroupView[]> {
    await this.projections.reached('device_groups', after);
    const named = groups.flatMap(({ devices }) => devices);
    const rows = await this.database.query<{ device_id: string; name: string | null; removals: number }>(
      `SELECT device_id, name, removals FROM devices WHERE device_id = ANY($1::text[])`,
      [[...new Set(named.map(({ deviceId }) => deviceId))]],
    );
    const devices = new Map(rows.map((row) => [row.device_id, row]));
    const accountIds = groups.flatMap((group) => group.accountIds);
    const owners = named.map(({ accountId }) => accountId);
    const personOf = await this.people.of([...new Set([...accountIds, ...owners])], after);
    return groups.map(({ groupId, name, accountIds: members, devices: named, createdAt, updatedAt }) => ({
      id: groupId,
      teamId,
      name,
      members: members.map((userId) => {
        const { name: called, email } = personOf(userId);
        return { userId, name: called, email, image: null };
      }),
      devices: named
        .filter(({ deviceId, removals }) => (devices.get(deviceId)?.removals ?? 0) <= removals)
        .map(({ deviceId, accountId }) => ({
          id: deviceId,
          deviceName: devices.get(deviceId)?.name ?? null,
          userId: accountId,
          userName: personOf(accountId).name,
        })),
      createdAt,
      updatedAt,
    }));
  }
}
