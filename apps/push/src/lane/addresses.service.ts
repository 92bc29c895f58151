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

/** Where an operation goes; to nobody when its device takes none any more. */
type OperationTarget = 'nobody' | PushAddress;

interface PushToken {
  /** Null when its key is gone, too. */
  readonly token: string | null;
  readonly environment: PushEnvironment;
}

/** So many events of a device are read at once. */
const readAtOnce = 50n;

/** Finds out where the operations of lanes go. */
@Injectable()
export class Addresses {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
  ) {}

  /** Where the operation goes; undefined while the device has not said it. */
  async of(work: LaneTask, operation: LaneOperation): Promise<OperationTarget | undefined> {
    const { activityId, deviceId, accountId, lane, device } = work;
    const base = {
      deviceId,
      // A recipient's phone is theirs: what its provider says is about their device.
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
    // The rows of devices may be behind the lane's while all rows are being made anew.
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

  /** Whether the device has told another address since the work was taken: its lane's rows may be ahead of its own. */
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

  /** Where a device that was taken off the account could be reached until then. Only the log knows that address. */
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

  /** The newest push token that a device has told: from the end of its stream, which may be years long, a part at a time. */
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

/** A registration tells a push token, or that there is none; a change may be about other tokens alone. */
function tokenIn(event: DomainEvent): PushToken | undefined {
  if (event.type === 'DeviceRegistered') {
    const { pushToken: token, pushEnvironment: environment } = event as DeviceRegistered;
    return { token, environment };
  }
  if (event.type !== 'DeviceTokensChanged') return undefined;
  const { pushToken: token, environment } = event as DeviceTokensChanged;
  return token === null ? undefined : { token, environment };
}
