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
    // Not 24 hours later: on some days a clock is changed.
    const [date, next] = [new Date(year, month, day), new Date(year, month, day + 1)];
    return { date, shifts: shifts.filter((shift) => isWithin(shift, date, next)) };
  });
  return Array.from({ length: cells / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
}

const isWithin = ({ startsAt, endsAt }: Shift, from: Date, to: Date): boolean =>
  Date.parse(startsAt) < to.getTime() && Date.parse(endsAt) > from.getTime();

/** Whether the day has 23 or 25 hours here. */
export const hasClockChange = (date: Date): boolean => {
  const next = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1);
  return next.getTimezoneOffset() !== date.getTimezoneOffset();
};
