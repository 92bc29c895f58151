import { answer, type Answer, Bus, type Context, Handles } from '@carillon/bus';
import {
  ChangeDeviceTokens,
  DeviceById,
  type Device as DeviceView,
  type DeviceEvent,
  FindTargets,
  type FoundActivityTargets,
  type FoundTargets,
  ListDevices,
  type ListPage,
  Push,
  type QuietHoursFact,
  RegisterDevice,
  ReportReceipts,
  type EndedSignal,
} from '@carillon/contracts';
import { Destinations } from '@carillon/destinations';
import { Database, Log, Projections } from '@carillon/event-store';
import { type EventMetadata, type Slot, Refused } from '@carillon/eventing';
import {
  Clock,
  Cursors,
  LOGGER,
  type Logger,
  metadataOf,
  numberSetting,
  Quotas,
  secret,
} from '@carillon/runtime';
import { deriveId, hashSecret, KeyRing, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import {
  bind,
  changeTokens,
  deactivate,
  type Device,
  device,
  deviceSeen,
  deviceSession,
  insistOnOwn,
  insistOnRunning,
  isGone,
  isOf,
  freeSlot,
  slotOf,
  register,
  remove,
  see,
} from './device';
import { columns, deviceOrder, type DeviceRow, deviceView, hoursOf } from './device-row';
import { ringing, showingSilently } from './quiet-hours';
import { installOf } from './install';
import { addressIn } from '../transport/subscription';
import { type Active, Targets } from './targets';

const seenEventsKept = 200;
/** The upper bound of the device limit: one event carries a push to all devices of an account. */
const maxAllowed = 5_000;
const slotsFreedAtOnce = 50;

@Controller()
export class DeviceHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cursors = new Cursors('device', deviceOrder);
  /** The maximum number of devices per account, and of devices that one push is sent to. */
  private readonly max = numberSetting('CARILLON_DEVICES_PER_ACCOUNT', 500, { max: maxAllowed });
  private readonly active: Targets;
  private readonly quotas: Quotas;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
  ) {
    this.active = new Targets((accountIds) =>
      database.read(
        `SELECT d.account_id, d.device_id, ${hoursOf('d')} AS hours
         FROM unnest($1::text[]) AS a (account_id) CROSS JOIN LATERAL (
           SELECT account_id, device_id FROM devices WHERE account_id = a.account_id AND active
           ORDER BY last_seen_at DESC, device_id DESC LIMIT $2) d`,
        [accountIds, this.max],
      ),
    );
    this.quotas = new Quotas(
      log,
      {
        kind: 'device',
        max: this.max,
        before: (accountId) => this.uncounted(accountId),
        missing: (slotIds, accountId) => this.gone(slotIds, accountId),
      },
      logger,
    );
  }

  @Handles(Push.registerDevice)
  async register(
    input: RegisterDevice,
    context: Context,
  ): Promise<Answer<{ device: DeviceView; created: boolean }>> {
    const { accountId } = context.caller;
    if (context.caller.sessionId === undefined) throw new Refused('session.required');
    // A browser's device outlives its session: removing the one does not end the other.
    const sessionId = input.platform === 'web' ? undefined : context.caller.sessionId;
    const install = installOf(input, this.keyRing.newest);
    if (input.subscription) await this.destinations.check(input.subscription.endpoint);
    const id = deriveId('dev', this.clock.ms(), accountId, input.installId);
    const metadata = metadataOf(context);
    const tail = streamTail(id);
    // The session is bound first: after a crash from here on, a retry by the same install finds its session bound to
    // it.
    if (sessionId !== undefined)
      await this.log.transact(
        deviceSession,
        streamTail(sessionId),
        bind({ sessionId, accountId, device: tail, at: this.clock.now() }),
        metadata,
      );
    const { state: before } = await this.log.load(device, tail);
    if (before && sessionId !== undefined) insistOnRunning(before, sessionId);
    const slotId = slotOf(before, tail);
    await this.reserveSlot(slotId, before, metadata);
    const { state, events, revision, position } = await this.log.transact(
      device,
      tail,
      register({ id, accountId, slotId, sessionId, install, at: this.clock.now() }),
      metadata,
    );
    if (!state) throw new Error('A registration left no trace');
    this.tellEnded(tail, events, revision);
    const shown = await this.settled(state, install.pushToken, position, metadata);
    return answer({ device: shown, created: events.length > 0 && revision === 0n }, position);
  }

  @Handles(Push.changeTokens)
  async changeTokens(input: ChangeDeviceTokens, context: Context): Promise<Answer<{ device: DeviceView }>> {
    const metadata = metadataOf(context);
    const { accountId, sessionId } = context.caller;
    const { state, position } = await this.log.transact(
      device,
      streamTail(input.id),
      changeTokens({ accountId, sessionId, input, at: this.clock.now() }),
      metadata,
    );
    if (!state) throw new Error('A change of tokens left no trace');
    const shown = await this.settled(state, input.pushToken, position, metadata);
    return answer({ device: shown }, position);
  }

  @Handles(Push.reportReceipts)
  async reportReceipts(input: ReportReceipts, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId, sessionId } = context.caller;
    const tail = streamTail(input.id);
    const { state } = await this.log.load(device, tail);
    if (state?.deviceId !== input.id || !isOf(state, accountId, sessionId))
      throw new Refused('device.not_found');
    const { events, revision, position } = await this.log.transact(
      deviceSeen,
      tail,
      see({ deviceId: input.id, accountId, receipts: input.receipts, at: this.clock.now() }),
      metadataOf(context),
    );
    // This runs for the first few events, in case a process crashed before it got here.
    if (events.length > 0 && revision < 3n)
      await this.log.store.setMaxCount(`${deviceSeen.category}-${tail}`, seenEventsKept);
    return answer({ ok: true }, position);
  }

  @Handles(Push.listDevices)
  async list(input: ListDevices, context: Context): Promise<Answer<ListPage<DeviceView>>> {
    const { accountId, tokenId } = context.caller;
    await this.projections.reached('devices', context.after, accountId);
    // The Agent API had two platforms first: its clients meet the third only where they ask for it.
    const hidden = tokenId !== undefined && input.platform === undefined ? 'web' : null;
    const filter = { accountId, active: input.active ?? null, platform: input.platform ?? null };
    const page = this.cursors.asked(filter, input);
    const after = page.after(6);
    const rows = await this.database.query<DeviceRow>(
      `SELECT ${columns} FROM devices
       WHERE account_id = $1 AND inactive_reason IS DISTINCT FROM 'removed'
         AND ($2::boolean IS NULL OR active = $2) AND ($3::text IS NULL OR platform = $3)
         AND platform IS DISTINCT FROM $5
         AND ${after.text}
       ORDER BY ${deviceOrder.by} LIMIT $4`,
      [accountId, filter.active, filter.platform, page.limit + 1, hidden, ...after.values],
    );
    return answer(page.of(rows, rows.map(deviceView)));
  }

  @Handles(Push.removeDevice)
  async remove({ id }: DeviceById, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId } = context.caller;
    const at = this.clock.now();
    const metadata = metadataOf(context);
    const { state, events, position, revision } = await this.log.transact(
      device,
      streamTail(id),
      remove({ id, accountId, at }),
      metadata,
    );
    this.tellEnded(streamTail(id), events, revision);
    if (state) await this.quotas.release({ accountId, id: state.slotId, at }, metadata);
    // Waits for the rows: later pushes must not be sent to this device.
    await this.projections.reached('devices', String(position), accountId);
    return answer({ ok: true }, position);
  }

  @Handles(Push.device)
  async get({ id }: DeviceById, { caller }: Context): Promise<Answer<{ deviceId: string }>> {
    const { state } = await this.log.load(device, streamTail(id));
    insistOnOwn(state, id, caller.accountId);
    return answer({ deviceId: id });
  }

  @Handles(Push.targets)
  async targets({ deviceIds, urgent = false }: FindTargets, context: Context): Promise<Answer<FoundTargets>> {
    // Every confirmed registration has its row; other events of the log may not be projected yet.
    const { accountId } = context.caller;
    await this.projections.current('devices', accountId);
    const active = await this.active.of(accountId);
    const named = deviceIds ? await this.named(deviceIds, active, accountId) : active;
    const { devices, ...quiet } = urgent ? { devices: named } : ringing(named, this.clock.now());
    return answer({ deviceIds: devices.map(({ deviceId }) => deviceId), ...quiet });
  }

  private async named(deviceIds: readonly string[], active: Active, accountId: string): Promise<Active> {
    const known = new Map(active.map((each) => [each.deviceId, each]));
    const found = deviceIds.flatMap((id) => known.get(id) ?? []);
    if (found.length === deviceIds.length) return found;
    // The list is incomplete for an account that exceeds the limit.
    const rows = await this.database.query<{ deviceId: string; hours: QuietHoursFact | null }>(
      `SELECT device_id AS "deviceId", ${hoursOf('devices')} AS hours FROM devices
       WHERE account_id = $1 AND device_id = ANY($2) AND active`,
      [accountId, deviceIds],
    );
    if (rows.length < new Set(deviceIds).size) throw new Refused('device.not_found');
    return rows;
  }

  @Handles(Push.activityTargets)
  async activityTargets(
    { deviceIds, urgent = false }: FindTargets,
    { caller }: Context,
  ): Promise<Answer<FoundActivityTargets>> {
    await this.projections.current('devices', caller.accountId);
    const rows = await this.database.query<{
      device_id: string;
      is_capable: boolean;
      hours: QuietHoursFact | null;
    }>(
      `SELECT device_id, platform = 'android' OR live_activities_capable AS is_capable,
         ${urgent ? 'NULL::jsonb' : hoursOf('devices')} AS hours FROM devices
       WHERE account_id = $1 AND active AND ($2::text[] IS NULL OR device_id = ANY($2))
       ORDER BY last_seen_at DESC, device_id DESC LIMIT $3`,
      [caller.accountId, deviceIds ?? null, deviceIds ? deviceIds.length : this.max],
    );
    const active = new Map(rows.map((row) => [row.device_id, row]));
    if (deviceIds && !deviceIds.every((id) => active.has(id))) throw new Refused('device.not_found');
    const capable = (deviceIds ?? [...active.keys()].sort()).flatMap((deviceId) => {
      const row = active.get(deviceId);
      return row?.is_capable ? { deviceId, hours: row.hours } : [];
    });
    return answer({
      deviceIds: capable.map(({ deviceId }) => deviceId),
      ...showingSilently(capable, this.clock.now()),
    });
  }

  /**
   * Reserves a slot for a device before its registration. A device that is already registered is not refused: its
   * registration may predate the counting, and it is counted as soon as a slot is free.
   */
  private async reserveSlot(slotId: string, known: Device, metadata: EventMetadata): Promise<void> {
    const { accountId } = metadata;
    try {
      await this.quotas.reserve({ accountId, id: slotId, at: this.clock.now() }, metadata);
    } catch (error) {
      const isFull = error instanceof Refused && error.reason === 'resource.limit_reached';
      if (!isFull || !known || known.inactive === 'removed') throw error;
      this.logger.warn(
        { deviceId: known.deviceId, traceparent: metadata.traceparent },
        'An account exceeds its device limit: the device stays registered',
      );
    }
  }

  /** The slots of an account's devices that were registered before slots were counted in the log. */
  private async uncounted(accountId: string): Promise<readonly Slot[]> {
    await this.projections.abreast('devices', accountId);
    const [found] = await this.database.query<{ active: number }>(
      `SELECT count(*)::int AS active FROM devices WHERE account_id = $1 AND active`,
      [accountId],
    );
    // Active devices at the maximum leave no slot, however many inactive devices there are.
    if ((found?.active ?? 0) >= this.max) throw new Refused('resource.limit_reached', { limit: this.max });
    const rows = await this.database.query<{ device_id: string; created_at: Date }>(
      `SELECT device_id, created_at FROM devices
       WHERE account_id = $1 AND inactive_reason IS DISTINCT FROM 'removed' ORDER BY last_seen_at`,
      [accountId],
    );
    return rows.map((row) => ({
      id: streamTail(row.device_id),
      takenAt: row.created_at.toISOString(),
      until: null,
    }));
  }

  /**
   * The slot ids of devices that were removed or never registered, and those that an active device does not have: a
   * registration that lost against another of its install has left one. An unreachable device is removed to free its
   * slot. The rows provide the candidates; the log decides.
   */
  private async gone(slotIds: readonly string[], accountId: string): Promise<readonly string[]> {
    const rows = await this.database.query<{ device_id: string }>(
      `SELECT device_id FROM devices WHERE account_id = $1 AND active`,
      [accountId],
    );
    const active = new Set(rows.map((row) => streamTail(row.device_id)));
    const isAlone = (slotId: string): boolean =>
      slotIds.filter((other) => tailOf(other) === tailOf(slotId)).length === 1;
    const suspects = slotIds
      .filter((slotId) => !active.has(tailOf(slotId)) || !isAlone(slotId))
      .slice(0, slotsFreedAtOnce);
    const at = this.clock.now();
    const gone = await Promise.all(
      suspects.map(async (slotId) => {
        const { state, events, revision } = await this.log.transact(
          device,
          tailOf(slotId),
          freeSlot({ slotId, at }),
          {
            commandId: uuidV5(slotId, `frees a slot ${at}`),
            correlationId: slotId,
            accountId,
            actor: { process: 'push.device' },
          },
        );
        this.tellEnded(tailOf(slotId), events, revision);
        return isGone(state, slotId);
      }),
    );
    return suspects.filter((_, index) => gone[index]);
  }

  /** Signals the sessions that ended with a device, so that other services know before they read the events. */
  private tellEnded(tail: string, events: readonly DeviceEvent[], revision: bigint): void {
    events.forEach((event, index) => {
      if (event.type === 'DeviceTokensChanged' || event.endedSessionId === undefined) return;
      const at = revision - BigInt(events.length - 1 - index);
      const signal: EndedSignal = { stream: `${device.category}-${tail}`, revision: String(at) };
      this.bus.signal('session.ended', event.endedSessionId, signal);
    });
  }

  /** The device's view, once its events are projected and no other device holds its address. */
  private async settled(
    of: NonNullable<Device>,
    token: string | undefined,
    position: bigint,
    metadata: EventMetadata,
  ): Promise<DeviceView> {
    await this.projections.reached('devices', String(position));
    // Also for an account that is set aside: the former owner of the address is another.
    if (token !== undefined) await this.recordMoves(of, { token, position }, metadata);
    this.projections.insist('devices', metadata.accountId);
    const [row] = await this.database.query<DeviceRow>(
      `SELECT ${columns} FROM devices WHERE device_id = $1`,
      [of.deviceId],
    );
    if (!row) throw new Error('A registered device has no row');
    return deviceView(row);
  }

  /**
   * Records in the streams of other devices that their address moved to this one. Their rows show it already, unless
   * this device's account is set aside.
   */
  private async recordMoves(
    { deviceId, platform }: NonNullable<Device>,
    { token, position }: { readonly token: string; readonly position: bigint },
    metadata: EventMetadata,
  ): Promise<void> {
    const others = await this.database.query<{ device_id: string; account_id: string }>(
      `SELECT device_id, account_id FROM devices
       WHERE push_token_hash = $2 AND device_id <> $1
         AND (inactive_reason = 'moved' OR (active AND token_position < $3))`,
      [deviceId, hashSecret(this.pepper, addressIn(platform, token)), String(position)],
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

/** The stream tail of the install that reserves this slot. */
const tailOf = (slotId: string): string => slotId.split('.')[0]!;
