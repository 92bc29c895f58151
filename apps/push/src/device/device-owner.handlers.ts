import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type Device, DevicesOf, type OwnedDevice, OwnersOf, Push } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { device } from './device';
import { columns, deviceOrder, type DeviceRow, deviceView } from './device-row';

/** Answers other services' requests about devices of any account. */
@Controller()
export class DeviceOwnerHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  @Handles(Push.owners)
  async owners({ deviceIds }: OwnersOf): Promise<Answer<{ devices: OwnedDevice[] }>> {
    const loaded = await Promise.all(deviceIds.map((id) => this.log.load(device, streamTail(id))));
    const devices = loaded.flatMap(({ state }, index) => {
      if (!state || state.deviceId !== deviceIds[index] || state.inactive === 'removed') return [];
      const { deviceId, accountId, removals, deviceName } = state;
      return [{ deviceId, accountId, removals, deviceName }];
    });
    return answer({ devices });
  }

  @Handles(Push.devicesOf)
  async devicesOf(
    { accountIds, before, limit, browsers = false }: DevicesOf,
    context: Context,
  ): Promise<Answer<{ devices: (Device & { userId: string })[]; more: boolean }>> {
    await this.projections.reached('devices', context.after);
    for (const accountId of accountIds) this.projections.insist('devices', accountId);
    const after = deviceOrder.after(before && { last_seen_at: before.lastSeenAt, device_id: before.id }, 4);
    // One index scan per account, so that a large team does not require a sort of all its devices.
    const rows = await this.database.query<DeviceRow & { account_id: string }>(
      `SELECT d.account_id, ${columns} FROM unnest($1::text[]) AS a (account_id) CROSS JOIN LATERAL (
         SELECT account_id, ${columns} FROM devices
         WHERE account_id = a.account_id AND inactive_reason IS DISTINCT FROM 'removed'
           AND ($3::boolean OR platform <> 'web') AND ${after.text}
         ORDER BY ${deviceOrder.by} LIMIT $2) d
       ORDER BY ${deviceOrder.by} LIMIT $2`,
      [accountIds, limit + 1, browsers, ...after.values],
    );
    const devices = rows.slice(0, limit).map((row) => ({ ...deviceView(row), userId: row.account_id }));
    return answer({ devices, more: rows.length > limit });
  }
}
