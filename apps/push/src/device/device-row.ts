import type { Device as DeviceView } from '@carillon/contracts';
import { sortedBy } from '@carillon/signing';

/** A device row for the view. */
export interface DeviceRow {
  device_id: string;
  platform: DeviceView['platform'];
  device_name: string | null;
  active: boolean;
  live_activities_capable: boolean;
  interactive_live_activities_capable: boolean;
  push_to_start_environment: DeviceView['liveActivityTokenEnvironment'];
  push_to_start_since: Date | null;
  created_at: Date;
  last_seen_at: Date;
}

export const columns = `device_id, platform, device_name, active, live_activities_capable, interactive_live_activities_capable,
  push_to_start_environment, push_to_start_since, created_at, last_seen_at`;

/** The quiet hours that hold for a device: its own, else those of its account. */
export const hoursOf = (device: string): string =>
  `coalesce((SELECT hours FROM quiet_hours WHERE owner_id = ${device}.device_id),
     (SELECT hours FROM quiet_hours WHERE owner_id = ${device}.account_id))`;

/** How lists of devices are sorted: the last seen first. */
export const deviceOrder = sortedBy(['last_seen_at', 'desc'], ['device_id', 'desc']);

export const deviceView = (row: DeviceRow): DeviceView & { lastSeenAt: string } => ({
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
