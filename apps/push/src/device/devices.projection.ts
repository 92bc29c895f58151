import {
  type DeviceDeactivated,
  type DeviceRegistered,
  type DeviceTokensChanged,
  profileEventTypes,
  type QuietHoursSet,
  type Streams,
} from '@carillon/contracts';
import {
  columns,
  type Handled,
  ignoring,
  inBatch,
  Projection,
  type Sql,
  type On,
} from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { secret } from '@carillon/runtime';
import { hashSecret, KeyRing } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { ForgottenDevices } from './forgotten-devices.worker';
import { addressIn } from '../transport/subscription';

/** The context that the push token of a row is sealed for. */
export const pushTokenContext = (deviceId: string): string => `push token of ${deviceId}`;

type Followed = Streams<'device' | 'device_seen' | 'quiet_hours' | 'account'>;
const on = {
  device: {
    DeviceRegistered: inBatch,
    DeviceTokensChanged: inBatch,
    DeviceDeactivated: inBatch,
  },
  device_seen: {
    DeviceSeen: inBatch,
  },
  quiet_hours: {
    QuietHoursSet: inBatch,
  },
  account: {
    ...ignoring(...profileEventTypes),
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;
type DeviceChange = Handled<Followed, typeof on>;

/** When and where the store appended an event. */
type Appended = Pick<Recorded, 'at' | 'position'>;

/** The devices of all accounts, and when they are not to ring. */
@Injectable()
export class DevicesProjection extends Projection<Followed, typeof on> {
  readonly name = 'devices';
  readonly tables = ['devices', 'quiet_hours'];
  readonly on = on;
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(KeyRing) private readonly keyRing: KeyRing,
    @Inject(ForgottenDevices) private readonly forgotten: ForgottenDevices,
  ) {
    super();
  }

  /** A device belongs to one account; which of several has an address follows from the positions of their events. */
  override accountOf({ event }: Recorded<DeviceChange>): string {
    return event.accountId;
  }

  /** Receipts of phones change one column that only grows, so all receipts of a batch are written at its end. */
  override async apply(sql: Sql, events: readonly Recorded<DeviceChange>[]): Promise<void> {
    const seen = new Map<string, string>();
    for (const recorded of events) {
      const { event, at, position } = recorded;
      switch (event.type) {
        case 'DeviceRegistered':
          await this.register(sql, event, { at, position });
          break;
        case 'DeviceTokensChanged':
          await this.changeTokens(sql, event, { at, position });
          break;
        case 'DeviceDeactivated':
          await this.deactivate(sql, event);
          break;
        case 'DeviceSeen':
          seen.set(event.deviceId, event.seenAt);
          break;
        case 'QuietHoursSet':
          await this.setQuietHours(sql, event);
          break;
        case 'AccountForgotten':
          await sql.query(`DELETE FROM quiet_hours WHERE account_id = $1`, [event.accountId]);
          await this.forgotten.forget(sql, event.accountId, recorded);
          break;
        default:
          event satisfies never;
      }
    }
    if (seen.size === 0) return;
    const given = columns({ id: 'text', at: 'timestamptz' }, seen, ([id, at]) => ({ id, at }));
    await sql.query(
      `UPDATE devices d SET last_seen_at = greatest(d.last_seen_at, n.at) FROM ${given.rows} WHERE d.device_id = n.id`,
      given.values,
    );
  }

  /**
   * `at` is when the store appended the event: it is compared with the provider's wall-clock time of a token's death.
   */
  private async register(sql: Sql, event: DeviceRegistered, { at, position }: Appended): Promise<void> {
    const address = event.pushToken === null ? null : addressIn(event.platform, event.pushToken);
    await sql.query(
      `INSERT INTO devices AS d (device_id, account_id, platform, device_name, active, push_token, push_token_hash,
         push_environment, token_since, push_to_start_token, push_to_start_environment, push_to_start_since,
         live_activities_capable, interactive_live_activities_capable, created_at, last_seen_at, token_position)
       VALUES ($1, $2, $3, $4, $5::text IS NOT NULL, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15)
       ON CONFLICT (device_id) DO UPDATE SET platform = excluded.platform, device_name = excluded.device_name,
         active = excluded.active, inactive_reason = NULL, push_token = excluded.push_token,
         push_token_hash = excluded.push_token_hash, push_environment = excluded.push_environment,
         token_since = excluded.token_since, token_position = excluded.token_position,
         push_to_start_token = excluded.push_to_start_token,
         push_to_start_environment = excluded.push_to_start_environment,
         push_to_start_since = excluded.push_to_start_since,
         live_activities_capable = excluded.live_activities_capable,
         interactive_live_activities_capable = excluded.interactive_live_activities_capable,
         last_seen_at = greatest(d.last_seen_at, excluded.last_seen_at)`,
      [
        event.deviceId,
        event.accountId,
        event.platform,
        event.deviceName,
        this.sealed(event.deviceId, event.pushToken),
        this.hash(address),
        event.pushEnvironment,
        at,
        this.sealed(event.deviceId, event.pushToStartToken),
        event.pushToStartToken === null ? null : event.pushEnvironment,
        event.pushToStartToken === null ? null : event.registeredAt,
        event.liveActivitiesCapable,
        event.interactiveLiveActivitiesCapable,
        event.registeredAt,
        String(position),
      ],
    );
    await this.leaveToNewest(sql, address);
  }

  private async changeTokens(
    sql: Sql,
    event: DeviceTokensChanged,
    { at, position }: Appended,
  ): Promise<void> {
    if (event.pushToken !== null) {
      await sql.query(
        `UPDATE devices SET active = true, inactive_reason = NULL, push_token = $2, push_token_hash = $3,
           push_environment = $4, token_since = $5, last_seen_at = greatest(last_seen_at, $6), token_position = $7
         WHERE device_id = $1`,
        [
          event.deviceId,
          this.sealed(event.deviceId, event.pushToken),
          this.hash(event.pushToken),
          event.environment,
          at,
          event.changedAt,
          String(position),
        ],
      );
      await this.leaveToNewest(sql, event.pushToken);
    }
    if (event.pushToStartToken !== null)
      await sql.query(
        `UPDATE devices SET push_to_start_token = $2, push_to_start_environment = $3, push_to_start_since = $4,
           last_seen_at = greatest(last_seen_at, $4)
         WHERE device_id = $1`,
        [
          event.deviceId,
          this.sealed(event.deviceId, event.pushToStartToken),
          event.environment,
          event.changedAt,
        ],
      );
  }

  private async setQuietHours(sql: Sql, { accountId, deviceId, hours }: QuietHoursSet): Promise<void> {
    const ownerId = deviceId ?? accountId;
    if (hours === null) await sql.query(`DELETE FROM quiet_hours WHERE owner_id = $1`, [ownerId]);
    else
      await sql.query(
        `INSERT INTO quiet_hours (owner_id, account_id, hours) VALUES ($1, $2, $3)
         ON CONFLICT (owner_id) DO UPDATE SET account_id = excluded.account_id, hours = excluded.hours`,
        [ownerId, accountId, JSON.stringify(hours)],
      );
  }

  private async deactivate(sql: Sql, { deviceId, reason }: DeviceDeactivated): Promise<void> {
    await sql.query(
      `UPDATE devices SET active = false, inactive_reason = $2, push_token = NULL WHERE device_id = $1`,
      [deviceId, reason],
    );
    // A removal deletes all addresses of the device.
    if (reason === 'removed')
      await sql.query(
        `UPDATE devices SET push_token_hash = NULL, push_to_start_token = NULL, push_to_start_environment = NULL,
           push_to_start_since = NULL
         WHERE device_id = $1`,
        [deviceId],
      );
  }

  /**
   * An address belongs to the device that registered it last, at once: a phone that changed hands must not show pushes
   * to its former owner, also when the owner's registration is applied late. The event that records the move for the
   * other device follows.
   */
  private async leaveToNewest(sql: Sql, address: string | null): Promise<void> {
    if (address === null) return;
    // A retry for a set-aside account and the live projection may write the same address at once.
    await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [this.hash(address)]);
    await sql.query(
      `UPDATE devices d SET active = false, inactive_reason = 'moved', push_token = NULL
       WHERE push_token_hash = $1 AND active AND EXISTS (
         SELECT FROM devices o WHERE o.push_token_hash = $1 AND o.token_position > d.token_position)`,
      [this.hash(address)],
    );
  }

  private sealed(deviceId: string, token: string | null): string | null {
    return token === null ? null : this.keyRing.seal(token, pushTokenContext(deviceId));
  }

  private hash(address: string | null): string | null {
    return address === null ? null : hashSecret(this.pepper, address);
  }
}
