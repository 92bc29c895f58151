import {
  type DeviceDeactivated,
  type DeviceRegistered,
  type DeviceTokensChanged,
  profileEventTypes,
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

/** The context that the push token of a row is sealed for. */
export const pushTokenContext = (deviceId: string): string => `push token of ${deviceId}`;

type Followed = Streams<'device' | 'device_seen' | 'account'>;
const on = {
  device: {
    DeviceRegistered: inBatch,
    DeviceTokensChanged: inBatch,
    DeviceDeactivated: inBatch,
  },
  device_seen: {
    DeviceSeen: inBatch,
  },
  account: {
    ...ignoring(...profileEventTypes),
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;

/** The devices of all accounts. */
@Injectable()
export class DevicesProjection extends Projection<Followed, typeof on> {
  readonly name = 'devices';
  readonly tables = ['devices'];
  readonly on = on;
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(@Inject(KeyRing) private readonly keyRing: KeyRing) {
    super();
  }

  /** Receipts of phones change one column that only grows, so all receipts of a batch are written at its end. */
  override async apply(sql: Sql, events: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    const seen = new Map<string, string>();
    for (const { event, at } of events) {
      switch (event.type) {
        case 'DeviceRegistered':
          await this.register(sql, event, at);
          break;
        case 'DeviceTokensChanged':
          await this.changeTokens(sql, event, at);
          break;
        case 'DeviceDeactivated':
          await this.deactivate(sql, event);
          break;
        case 'DeviceSeen':
          seen.set(event.deviceId, event.seenAt);
          break;
        case 'AccountForgotten':
          await sql.query(`UPDATE devices SET device_name = NULL WHERE account_id = $1`, [event.accountId]);
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
  private async register(sql: Sql, event: DeviceRegistered, at: string): Promise<void> {
    await sql.query(
      `INSERT INTO devices AS d (device_id, account_id, platform, device_name, active, push_token, push_token_hash,
         push_environment, token_since, push_to_start_token, push_to_start_environment, push_to_start_since,
         live_activities_capable, interactive_live_activities_capable, created_at, last_seen_at)
       VALUES ($1, $2, $3, $4, $5::text IS NOT NULL, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
       ON CONFLICT (device_id) DO UPDATE SET platform = excluded.platform, device_name = excluded.device_name,
         active = excluded.active, inactive_reason = NULL, push_token = excluded.push_token,
         push_token_hash = excluded.push_token_hash, push_environment = excluded.push_environment,
         token_since = excluded.token_since, push_to_start_token = excluded.push_to_start_token,
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
        this.hash(event.pushToken),
        event.pushEnvironment,
        at,
        this.sealed(event.deviceId, event.pushToStartToken),
        event.pushToStartToken === null ? null : event.pushEnvironment,
        event.pushToStartToken === null ? null : event.registeredAt,
        event.liveActivitiesCapable,
        event.interactiveLiveActivitiesCapable,
        event.registeredAt,
      ],
    );
    await this.takeFromOthers(sql, event.deviceId, event.pushToken);
  }

  private async changeTokens(sql: Sql, event: DeviceTokensChanged, at: string): Promise<void> {
    if (event.pushToken !== null) {
      await sql.query(
        `UPDATE devices SET active = true, inactive_reason = NULL, push_token = $2, push_token_hash = $3,
           push_environment = $4, token_since = $5, last_seen_at = greatest(last_seen_at, $6)
         WHERE device_id = $1`,
        [
          event.deviceId,
          this.sealed(event.deviceId, event.pushToken),
          this.hash(event.pushToken),
          event.environment,
          at,
          event.changedAt,
        ],
      );
      await this.takeFromOthers(sql, event.deviceId, event.pushToken);
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
   * to its former owner. The event that records the move for the other device follows.
   */
  private async takeFromOthers(sql: Sql, deviceId: string, token: string | null): Promise<void> {
    if (token === null) return;
    await sql.query(
      `UPDATE devices SET active = false, inactive_reason = 'moved', push_token = NULL
       WHERE push_token_hash = $2 AND device_id <> $1 AND active`,
      [deviceId, this.hash(token)],
    );
  }

  private sealed(deviceId: string, token: string | null): string | null {
    return token === null ? null : this.keyRing.seal(token, pushTokenContext(deviceId));
  }

  private hash(token: string | null): string | null {
    return token === null ? null : hashSecret(this.pepper, token);
  }
}
