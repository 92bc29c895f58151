import {
  type DeviceDeactivated,
  type DeviceGroupCreated,
  domainEventTypes,
  type GroupDevice,
  inviteEventTypes,
  type Streams,
} from '@carillon/contracts';
import { columns, ignore, ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import { plus, type Recorded } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { keyLifetimeMs } from '../made';
import { DevicesOfDeletedTeams } from './devices-of-deleted-teams.worker';
import { RemovedDevices } from './removed-devices.worker';

type Followed = Streams<'team' | 'device'>;
const ignored = ignoring(
  'TeamCreated',
  'TeamChanged',
  'MemberJoined',
  'MemberRoleChanged',
  'OwnershipTransferred',
  'OncallGroupChanged',
  'OncallGroupDeleted',
  'OncallGroupEmptied',
  'OverrideDeleted',
  ...inviteEventTypes,
  ...domainEventTypes,
);

/** The maximum of old keys that one event deletes. Later ones delete the rest, which count no more. */
const atOnce = 5_000;

/**
 * Projects which groups idempotency keys created, the team and devices of each device group and the names of devices,
 * and enqueues the removal of devices that were removed from their accounts. It follows the log in order, so that it
 * also finds a device that was added to a group while it was being removed.
 */
@Injectable()
export class DeviceGroupsProcess extends Projection<Followed> {
  readonly name = 'device_groups';
  readonly tables = ['device_groups', 'keyed_groups', 'group_devices', 'devices'];
  readonly on: On<Followed> = {
    team: {
      ...ignored,
      TeamDeleted: async (sql, from) => {
        const { teamId } = from.event;
        await sql.query(`DELETE FROM device_groups WHERE team_id = $1`, [teamId]);
        await this.devicesOfDeleted.remove(sql, teamId, from);
      },
      MemberLeft: (sql, { event }) => withoutMember(sql, event.teamId, event.accountId),
      MemberRemoved: (sql, { event }) => withoutMember(sql, event.teamId, event.accountId),
      DeviceGroupCreated: async (sql, recorded) => {
        const { groupId, teamId, devices } = recorded.event;
        await sql.query(`INSERT INTO device_groups (group_id, team_id) VALUES ($1, $2)`, [groupId, teamId]);
        await rememberKey(sql, groupId, recorded.event);
        await this.setDevices(sql, recorded, devices);
      },
      DeviceGroupChanged: async (sql, recorded) => {
        if (recorded.event.devices) await this.setDevices(sql, recorded, recorded.event.devices);
      },
      DeviceGroupDeleted: async (sql, { event }) => {
        await sql.query(`DELETE FROM group_devices WHERE group_id = $1`, [event.groupId]);
        await sql.query(`DELETE FROM device_groups WHERE group_id = $1`, [event.groupId]);
      },
      DeviceLeftGroups: async (sql, { event }) => {
        await sql.query(`DELETE FROM group_devices WHERE team_id = $1 AND device_id = $2 AND removals < $3`, [
          event.teamId,
          event.deviceId,
          event.removals,
        ]);
      },
      OncallGroupCreated: (sql, { event }) => rememberKey(sql, event.groupId, event),
      OverrideCreated: (sql, { event }) => rememberKey(sql, event.overrideId, event),
    },
    device: {
      DeviceRegistered: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO devices (device_id, name, removals) VALUES ($1, $2, 0)
           ON CONFLICT (device_id) DO UPDATE SET name = excluded.name`,
          [event.deviceId, event.deviceName],
        );
      },
      DeviceTokensChanged: ignore,
      DeviceDeactivated: async (sql, recorded) => {
        if (recorded.event.reason === 'removed') await this.remove(sql, recorded);
      },
    },
  };

  constructor(
    @Inject(RemovedDevices) private readonly removed: RemovedDevices,
    @Inject(DevicesOfDeletedTeams) private readonly devicesOfDeleted: DevicesOfDeletedTeams,
  ) {
    super();
  }

  /** Replaces the devices of a group. */
  private async setDevices(
    sql: Sql,
    recorded: Recorded<{ readonly type: string; readonly teamId: string; readonly groupId: string }>,
    devices: readonly GroupDevice[],
  ): Promise<void> {
    const { teamId, groupId } = recorded.event;
    await sql.query(`DELETE FROM group_devices WHERE group_id = $1`, [groupId]);
    const given = columns(
      { device_id: 'text', account_id: 'text', removals: 'integer' },
      devices,
      ({ deviceId, accountId, removals }) => ({ device_id: deviceId, account_id: accountId, removals }),
      { from: 3 },
    );
    await sql.query(
      `INSERT INTO group_devices (group_id, team_id, ${given.names}) SELECT $1, $2, ${given.names} FROM ${given.rows}`,
      [groupId, teamId, ...given.values],
    );
    const gone = await sql.query<{ device_id: string; removals: number }>(
      `SELECT d.device_id, d.removals FROM group_devices g JOIN devices d USING (device_id)
       WHERE g.group_id = $1 AND g.removals < d.removals`,
      [groupId],
    );
    for (const { device_id: deviceId, removals } of gone)
      await this.removed.add(sql, { teamId, deviceId, removals }, recorded);
  }

  private async remove(sql: Sql, recorded: Recorded<DeviceDeactivated>): Promise<void> {
    const { deviceId } = recorded.event;
    const [device] = await sql.query<{ removals: number }>(
      `UPDATE devices SET removals = removals + 1, name = NULL WHERE device_id = $1 RETURNING removals`,
      [deviceId],
    );
    if (!device) return;
    const { removals } = device;
    const teams = await sql.query<{ team_id: string }>(
      `SELECT DISTINCT team_id FROM group_devices WHERE device_id = $1 AND removals < $2`,
      [deviceId, removals],
    );
    for (const { team_id: teamId } of teams)
      await this.removed.add(sql, { teamId, deviceId, removals }, recorded);
  }
}

async function withoutMember(sql: Sql, teamId: string, accountId: string): Promise<void> {
  await sql.query(`DELETE FROM group_devices WHERE team_id = $1 AND account_id = $2`, [teamId, accountId]);
}

/** Stores what an idempotency key of a token created, to refuse the key in another team. */
async function rememberKey(
  sql: Sql,
  id: string,
  { fingerprint, createdAt }: Pick<DeviceGroupCreated, 'fingerprint' | 'createdAt'>,
): Promise<void> {
  if (fingerprint === null) return;
  await sql.query(
    `DELETE FROM keyed_groups WHERE tail IN (
       SELECT tail FROM keyed_groups WHERE made_at <= $1 ORDER BY made_at LIMIT $2)`,
    [plus(createdAt, -keyLifetimeMs), atOnce],
  );
  await sql.query(
    `INSERT INTO keyed_groups (tail, fingerprint, made_at) VALUES ($1, $2, $3)
     ON CONFLICT (tail) DO UPDATE SET fingerprint = excluded.fingerprint, made_at = excluded.made_at`,
    [streamTail(id), fingerprint, createdAt],
  );
}
