import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ChangeDeviceTokens,
  DeviceById,
  type Device as ShownDevice,
  FindTargets,
  ListDevices,
  type Page,
  pageLimit,
  Push,
  RegisterDevice,
  ReportReceipts,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type EventMetadata, Refused } from '@carillon/eventing';
import { Clock, cursorKey, metadataOf, pageOf, readPageKey, secret, writeCursor } from '@carillon/service';
import { deriveId, hashSecret, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { changeTokens, deactivate, device, deviceSeen, register, remove, see } from './device';
import { Targets } from './targets';

interface Row {
  device_id: string;
  platform: ShownDevice['platform'];
  device_name: string | null;
  active: boolean;
  live_activities_capable: boolean;
  interactive_live_activities_capable: boolean;
  push_to_start_environment: ShownDevice['liveActivityTokenEnvironment'];
  push_to_start_since: Date | null;
  created_at: Date;
  last_seen_at: Date;
}

const columns = `device_id, platform, device_name, active, live_activities_capable, interactive_live_activities_capable,
  push_to_start_environment, push_to_start_since, created_at, last_seen_at`;

const seenEventsKept = 200;

@Controller()
export class DeviceHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cursorKey = cursorKey('device');
  private readonly active: Targets;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.active = new Targets((accountIds) =>
      database.query(`SELECT account_id, device_id FROM devices WHERE account_id = ANY($1) AND active`, [
        accountIds,
      ]),
    );
  }

  @Handles(Push.registerDevice)
  async register(
    input: RegisterDevice,
    context: Context,
  ): Promise<Answer<{ device: ShownDevice; created: boolean }>> {
    const { accountId } = context.caller;
    const id = deriveId('dev', this.clock.ms(), accountId, input.installId);
    const metadata = metadataOf(context);
    const { state, events, revision, position } = await this.log.transact(
      device,
      streamTail(id),
      register({ id, accountId, input, at: this.clock.now() }),
      metadata,
    );
    if (!state) throw new Error('A registration left no trace');
    const shown = await this.settled(state.deviceId, input.pushToken, position, metadata);
    return answer({ device: shown, created: events.length > 0 && revision === 0n }, position);
  }

  @Handles(Push.changeTokens)
  async changeTokens(input: ChangeDeviceTokens, context: Context): Promise<Answer<{ device: ShownDevice }>> {
    const metadata = metadataOf(context);
    const { position } = await this.log.transact(
      device,
      streamTail(input.id),
      changeTokens({ accountId: context.caller.accountId, input, at: this.clock.now() }),
      metadata,
    );
    return answer({ device: await this.settled(input.id, input.pushToken, position, metadata) }, position);
  }

  @Handles(Push.reportReceipts)
  async reportReceipts(input: ReportReceipts, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId } = context.caller;
    const found = await this.projections.find('devices', async () => {
      const [row] = await this.database.query(
        `SELECT 1 FROM devices WHERE device_id = $1 AND account_id = $2`,
        [input.id, accountId],
      );
      return row;
    });
    if (!found) throw new Refused('device.not_found');
    const tail = streamTail(input.id);
    const { events, revision, position } = await this.log.transact(
      deviceSeen,
      tail,
      see({ deviceId: input.id, accountId, receipts: input.receipts, at: this.clock.now() }),
      metadataOf(context),
    );
    // More than once, for a process that died before it got here.
    if (events.length > 0 && revision < 3n)
      await this.log.store.setMaxCount(`${deviceSeen.category}-${tail}`, seenEventsKept);
    return answer({ ok: true }, position);
  }

  @Handles(Push.listDevices)
  async list(input: ListDevices, context: Context): Promise<Answer<Page<ShownDevice>>> {
    await this.projections.reached('devices', context.after);
    const { accountId } = context.caller;
    const filter = { accountId, active: input.active ?? null, platform: input.platform ?? null };
    const after = input.cursor === undefined ? undefined : readPageKey(this.cursorKey, filter, input.cursor);
    const limit = pageLimit(input);
    const rows = await this.database.query<Row>(
      `SELECT ${columns} FROM devices
       WHERE account_id = $1 AND inactive_reason IS DISTINCT FROM 'removed'
         AND ($2::boolean IS NULL OR active = $2) AND ($3::text IS NULL OR platform = $3)
         AND ($4::timestamptz IS NULL OR (last_seen_at, device_id) < ($4, $5))
       ORDER BY last_seen_at DESC, device_id DESC LIMIT $6`,
      [accountId, filter.active, filter.platform, after?.at ?? null, after?.id ?? null, limit + 1],
    );
    const items = rows.slice(0, limit).map(shownDevice);
    return answer(
      pageOf(items, rows.length > limit, (last) =>
        writeCursor(this.cursorKey, filter, { at: last.lastSeenAt, id: last.id }),
      ),
    );
  }

  @Handles(Push.removeDevice)
  async remove({ id }: DeviceById, context: Context): Promise<Answer<{ ok: true }>> {
    const { position } = await this.log.transact(
      device,
      streamTail(id),
      remove({ id, accountId: context.caller.accountId, at: this.clock.now() }),
      metadataOf(context),
    );
    // The rows first: what is sent from now on must not go there.
    await this.projections.reached('devices', String(position));
    return answer({ ok: true }, position);
  }

  @Handles(Push.device)
  async get({ id }: DeviceById, { caller }: Context): Promise<Answer<{ deviceId: string }>> {
    const { state } = await this.log.load(device, streamTail(id));
    if (state?.deviceId !== id || state.accountId !== caller.accountId || state.inactive === 'removed')
      throw new Refused('device.not_found');
    return answer({ deviceId: id });
  }

  @Handles(Push.targets)
  async targets({ deviceIds }: FindTargets, context: Context): Promise<Answer<{ deviceIds: string[] }>> {
    // Whoever was told that a device is registered has its row; the rest of the log may be on its way.
    await this.projections.current('devices');
    const active = await this.active.of(context.caller.accountId);
    if (deviceIds && !deviceIds.every((id) => active.includes(id))) throw new Refused('device.not_found');
    return answer({ deviceIds: [...(deviceIds ?? active)] });
  }

  @Handles(Push.activityTargets)
  async activityTargets(
    { deviceIds }: FindTargets,
    { caller }: Context,
  ): Promise<Answer<{ deviceIds: string[] }>> {
    await this.projections.current('devices');
    const rows = await this.database.query<{ device_id: string; is_capable: boolean }>(
      `SELECT device_id, platform = 'android' OR live_activities_capable AS is_capable FROM devices
       WHERE account_id = $1 AND active ORDER BY device_id`,
      [caller.accountId],
    );
    const active = new Map(rows.map((row) => [row.device_id, row.is_capable]));
    if (deviceIds && !deviceIds.every((id) => active.has(id))) throw new Refused('device.not_found');
    return answer({ deviceIds: (deviceIds ?? [...active.keys()]).filter((id) => active.get(id)) });
  }

  /** The device as it is listed, once the rows have what was appended and no other device holds its address. */
  private async settled(
    deviceId: string,
    token: string | undefined,
    position: bigint,
    metadata: EventMetadata,
  ): Promise<ShownDevice> {
    await this.projections.reached('devices', String(position));
    if (token !== undefined) await this.recordMoves(deviceId, token, metadata);
    const [row] = await this.database.query<Row>(`SELECT ${columns} FROM devices WHERE device_id = $1`, [
      deviceId,
    ]);
    if (!row) throw new Error('A registered device has no row');
    return shownDevice(row);
  }

  /** The rows of devices that lost their address to this one say so already; here their streams do. */
  private async recordMoves(deviceId: string, token: string, metadata: EventMetadata): Promise<void> {
    const others = await this.database.query<{ device_id: string; account_id: string }>(
      `SELECT device_id, account_id FROM devices
       WHERE push_token_hash = $2 AND device_id <> $1 AND inactive_reason = 'moved'`,
      [deviceId, hashSecret(this.pepper, token)],
    );
    for (const other of others)
      await this.log.transact(
        device,
        streamTail(other.device_id),
        deactivate({ token, reason: 'moved', at: this.clock.now() }),
        { ...metadata, accountId: other.account_id },
      );
  }
}

const shownDevice = (row: Row): ShownDevice & { lastSeenAt: string } => ({
  id: row.device_id,
  platform: row.platform,
  deviceName: row.device_name,
  active: row.active,
  liveActivitiesCapable: row.live_activities_capable,
  liveActivityTokenEnvironment: row.push_to_start_environment,
  liveActivityTokenUpdatedAt: row.push_to_start_since?.toISOString() ?? null,
  interactiveLiveActivitiesCapable: row.interactive_live_activities_capable,
  createdAt: row.created_at.toISOString(),
  lastSeenAt: row.last_seen_at.toISOString(),
});
