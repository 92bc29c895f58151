export interface Shift {
  readonly person: { readonly name: string };
  readonly startsAt: string;
  readonly endsAt: string;
  readonly override: boolean;
}

/** A day on the clock of this device, and who is on call on it, in order. */
export interface Day {
  readonly date: Date;
  readonly shifts: readonly Shift[];
}

/** The weeks of a month, from Monday on; undefined stands for the days of other months. */
export function weeksOf(year: number, month: number, shifts: readonly Shift[]): (Day | undefined)[][] {
  const count = new Date(year, month + 1, 0).getDate();
  const before = (new Date(year, month, 1).getDay() + 6) % 7;
  const cells = Math.ceil((before + count) / 7) * 7;
  const days = Array.from({ length: cells }, (_, cell): Day | undefined => {
    const day = cell - before + 1;
    if (day < 1 || day > count) return undefined;
    const date = new Date(year, month, day);
    return { date, shifts: shifts.filter((shift) => isWithin(shift, date, dayAfter(date))) };
  });
  return Array.from({ length: cells / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
}

const isWithin = ({ startsAt, endsAt }: Shift, from: Date, to: Date): boolean =>
  Date.parse(startsAt) < to.getTime() && Date.parse(endsAt) > from.getTime();

/** The shifts with those that a planned override puts in their place. */
export function withPlanned(shifts: readonly Shift[], planned: readonly Shift[]): Shift[] {
  const [first, last] = [planned[0], planned.at(-1)];
  if (!first || !last) return [...shifts];
  const left = shifts.flatMap((shift) => [
    { ...shift, endsAt: earlier(shift.endsAt, first.startsAt) },
    { ...shift, startsAt: later(shift.startsAt, last.endsAt) },
  ]);
  return [...left.filter(({ startsAt, endsAt }) => isBefore(startsAt, endsAt)), ...planned].sort(byStart);
}

const byStart = (one: Shift, other: Shift): number => Date.parse(one.startsAt) - Date.parse(other.startsAt);
const isBefore = (one: string, other: string): boolean => Date.parse(one) < Date.parse(other);
const earlier = (one: string, other: string): string => (isBefore(one, other) ? one : other);
const later = (one: string, other: string): string => (isBefore(one, other) ? other : one);

/** The end of a day on the clock of this device: not always 24 hours later. */
export const dayAfter = (date: Date): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1);

/** The zone of this device. */
export const zoneHere = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zones, each named once, whose clocks show another offset at the end of a window than at its start. */
export const clockChanges = (from: Date, to: Date, zones: readonly string[]): string[] =>
  [...new Set(zones)].filter((zone) => offsetOf(zone, from) !== offsetOf(zone, to));

/** The offset from UTC as a text, like GMT+2. */
function offsetOf(timeZone: string, at: Date): string | undefined {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value;
}
