import type { QuietHoursFact, QuietHoursSet } from '@carillon/contracts';
import {
  compareTexts,
  type Decider,
  type Decision,
  type Instant,
  isZone,
  millis,
  Refused,
} from '@carillon/eventing';
import { isDeepStrictEqual } from 'node:util';
import { Temporal } from 'temporal-polyfill';

/** The quiet hours of one account: by device, and under null those of all other devices. */
export type QuietHoursState = ReadonlyMap<string | null, QuietHoursFact>;

export const quietHours: Decider<QuietHoursState, QuietHoursSet> = {
  category: 'quiet_hours',
  initial: new Map(),
  evolve(state, { deviceId, hours }) {
    const others = [...state].filter(([id]) => id !== deviceId);
    return new Map(hours === null ? others : [...others, [deviceId, hours]]);
  },
  personal: { QuietHoursSet: [] },
};

export interface QuietHoursSetting {
  readonly accountId: string;
  readonly deviceId: string | null;
  readonly hours: QuietHoursFact | null;
  readonly at: Instant;
}

/** Sets them. What is set already causes no event. */
export const setQuietHours: Decision<QuietHoursState, QuietHoursSet, QuietHoursSetting> =
  ({ accountId, deviceId, hours, at }) =>
  (state) => {
    if (hours && !isZone(hours.timezone)) throw new Refused('quiet_hours.invalid_timezone');
    if (isDeepStrictEqual(state.get(deviceId) ?? null, hours)) return [];
    return [{ type: 'QuietHoursSet', accountId, deviceId, hours, setAt: at }];
  };

/**
 * Whether the hours are running. They begin and end at instants, like turns on call: a time that a clock change skips
 * moves forward by the skipped time, and of a repeated time the first counts.
 */
export function isQuiet({ from, to, timezone }: QuietHoursFact, at: Instant): boolean {
  const now = millis(at);
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).toPlainDate();
  const on = (date: Temporal.PlainDate, time: string): number =>
    date.toPlainDateTime(Temporal.PlainTime.from(time)).toZonedDateTime(timezone).epochMilliseconds;
  const days = compareTexts(from, to) < 0 ? 0 : 1;
  return [today, today.subtract({ days: 1 })].some(
    (date) => on(date, from) <= now && now < on(date.add({ days }), to),
  );
}

/** An active device, with the quiet hours that hold for it. */
export interface RingableDevice {
  readonly deviceId: string;
  readonly hours: QuietHoursFact | null;
}

/** The devices that ring now, and the number of those that do not. */
export function ringing<Device extends RingableDevice>(
  devices: readonly Device[],
  at: Instant,
): { readonly devices: readonly Device[]; readonly quiet?: number } {
  const isSilent = silentAt(at);
  const rung = devices.filter((device) => !isSilent(device));
  const quiet = devices.length - rung.length;
  return { devices: rung, ...(quiet > 0 && { quiet }) };
}

/** The devices that show a live activity silently now; nothing when all ring. */
export function showingSilently(
  devices: readonly RingableDevice[],
  at: Instant,
): { readonly quietDeviceIds?: string[] } {
  const silent = devices.filter(silentAt(at));
  return silent.length > 0 ? { quietDeviceIds: silent.map(({ deviceId }) => deviceId) } : {};
}

function silentAt(at: Instant): (device: RingableDevice) => boolean {
  // Thousands of devices have few different hours.
  const known = new Map<string, boolean>();
  return ({ hours }) => {
    if (hours === null) return false;
    const key = `${hours.from} ${hours.to} ${hours.timezone}`;
    const isSilent = known.get(key) ?? isQuiet(hours, at);
    known.set(key, isSilent);
    return isSilent;
  };
}
