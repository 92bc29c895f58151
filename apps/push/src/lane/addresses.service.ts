import type { DeviceRegistered, DeviceTokensChanged, PushEnvironment } from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import type { DomainEvent } from '@carillon/eventing';
import { KeyRing, streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { PushAddress } from '../delivery/sender.client';
import { pushTokenContext } from '../device/devices.projection';
import { hasReached } from './checkpoint.entity';
import type { LaneOperation } from './lane';
import { updateTokenContext } from './row';
import type { DeviceRow, LaneTask } from './lane-task';

/** The address of an operation, or `nobody` when its device no longer accepts operations. */
type OperationTarget = 'nobody' | PushAddress;

interface PushToken {
  /** Null also when the token's key was deleted. */
  readonly token: string | null;
  readonly environment: PushEnvironment;
}

/** How many events of a device are read at a time. */
const readAtOnce = 50n;

/** Finds the addresses of lane operations. */
@Injectable()
export class Addresses {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
  ) {}

  /** The address of the operation; undefined until the device has registered it. */
  async of(work: LaneTask, operation: LaneOperation): Promise<OperationTarget | undefined> {
    const { activityId, deviceId, accountId, lane, device } = work;
    const base = {
      deviceId,
      // A recipient's phone belongs to the recipient's account, and so do its provider's results.
      accountId: device?.device_account_id ?? accountId,
      platform: lane.platform,
      tokenSinceMs: 0,
    };
    const { platform, token } = lane;
    if (platform === 'ios' && operation.kind !== 'start') {
      if (!token) return undefined;
      const sealedFor = updateTokenContext(activityId, deviceId);
      const { environment, sealed: sealedToken } = token;
      return { ...base, environment, sealedToken, sealedFor, isOfActivities: true };
    }
    // The devices projection may lag behind the lane during a rebuild.
    if (!device) return undefined;
    if (operation.isFarewell && !device.active) return this.lastAddress(work);
    if (!device.active) return 'nobody';
    if (platform === 'android')
      return device.push_token === null
        ? 'nobody'
        : {
            ...base,
            environment: device.push_environment,
            sealedToken: device.push_token,
            tokenSinceMs: device.token_since.getTime(),
          };
    const { push_to_start_token: sealedToken, push_to_start_environment: environment } = device;
    if (sealedToken === null || environment === null) return undefined;
    return { ...base, environment, sealedToken, isOfActivities: true };
  }

  /**
   * Whether the device has registered a different address since the task was leased: the devices projection may lag
   * behind the lanes.
   */
  async hasMoved({ deviceId, lane, device }: LaneTask, mayWait: () => boolean): Promise<boolean> {
    if (!(await hasReached(this.database, 'devices', await this.log.store.head(), mayWait))) return true;
    const [now] = await this.database.query<DeviceRow>(
      `SELECT push_token, push_to_start_token FROM devices WHERE device_id = $1`,
      [deviceId],
    );
    const field = lane.platform === 'ios' ? 'push_to_start_token' : 'push_token';
    const told = now?.[field] ?? null;
    return told !== null && told !== device?.[field];
  }

  /** The last address of a device that was removed from the account. Only the log has that address. */
  private async lastAddress({ deviceId, accountId, lane }: LaneTask): Promise<OperationTarget> {
    const last = await this.lastTold(`device-${streamTail(deviceId)}`);
    if (!last || last.token === null) return 'nobody';
    return {
      deviceId,
      accountId,
      platform: lane.platform,
      environment: last.environment,
      sealedToken: this.keyRing.seal(last.token, pushTokenContext(deviceId)),
      tokenSinceMs: 0,
      isOfActivities: true,
    };
  }

  /** The newest push token of a device. Reads its stream from the end in parts, since the stream may span years. */
  private async lastTold(stream: string): Promise<PushToken | undefined> {
    const { store } = this.log;
    const newest = await store.readLast(stream);
    for (let end = (newest?.revision ?? -1n) + 1n; end > 0n;) {
      const begin = end > readAtOnce ? end - readAtOnce : 0n;
      const part = await this.log.open(await store.read(stream, begin, Number(end - begin)));
      for (const { event } of part.reverse()) {
        const told = tokenIn(event);
        if (told) return told;
      }
      end = begin;
    }
    return undefined;
  }
}

/** The push token in an event: a registration has one or null; a token change may concern only other tokens. */
function tokenIn(event: DomainEvent): PushToken | undefined {
  if (event.type === 'DeviceRegistered') {
    const { pushToken: token, pushEnvironment: environment } = event as DeviceRegistered;
    return { token, environment };
  }
  if (event.type !== 'DeviceTokensChanged') return undefined;
  const { pushToken: token, environment } = event as DeviceTokensChanged;
  return token === null ? undefined : { token, environment };
}
