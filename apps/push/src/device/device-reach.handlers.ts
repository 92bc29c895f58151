import { answer, type Answer, Handles } from '@carillon/bus';
import { Push, type QuietHoursFact, type Reach, ReachOf } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Clock } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { hoursOf } from './device-row';
import { ringing, showingSilently } from './quiet-hours';

/** The maximum number of devices of one push: its event lists them all. */
const maxDevices = 5_000;

/** Finds the devices of several people that a push reaches. The caller has authorized the sender (ADR 26). */
@Controller()
export class DeviceReachHandlers {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Push.reach)
  async reach({
    accountIds,
    deviceIds,
    forActivity = false,
    urgent = false,
  }: ReachOf): Promise<Answer<Reach>> {
    await this.projections.current('devices');
    // One person's trouble stops no push to the others.
    const aside = this.projections.accountsAside('devices');
    // When there are too many devices, each person's most recently used devices are kept.
    const rows = await this.database.query<{
      device_id: string;
      account_id: string;
      hours: QuietHoursFact | null;
    }>(
      `SELECT device_id, account_id, ${urgent ? 'NULL::jsonb' : hoursOf('of_each')} AS hours FROM (
         SELECT device_id, account_id, last_seen_at,
           row_number() OVER (PARTITION BY account_id ORDER BY last_seen_at DESC, device_id DESC) AS nth
         FROM devices
         WHERE active AND (account_id = ANY($1) OR device_id = ANY($2))
           AND ($3::boolean IS NOT TRUE OR platform = 'android' OR live_activities_capable)) of_each
       ORDER BY nth, last_seen_at DESC, device_id DESC LIMIT $4`,
      [accountIds.filter((accountId) => !aside.has(accountId)), deviceIds, forActivity, maxDevices],
    );
    const active = rows
      .map((row) => ({ deviceId: row.device_id, accountId: row.account_id, hours: row.hours }))
      .filter(({ accountId }) => !aside.has(accountId));
    // Quiet hours are for what rings: a live activity is shown all the same.
    const { devices, ...quiet } = forActivity
      ? { devices: active, ...showingSilently(active, this.clock.now()) }
      : ringing(active, this.clock.now());
    return answer({ devices: devices.map(({ deviceId, accountId }) => ({ deviceId, accountId })), ...quiet });
  }
}
