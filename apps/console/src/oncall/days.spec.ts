import { hasClockChange, weeksOf } from './days';

const local = (day: number, hour = 0) => new Date(2026, 10, day, hour).toISOString();
const shift = (name: string, startsAt: string, endsAt: string) => ({
  person: { name },
  startsAt,
  endsAt,
  override: false,
});

describe('a month', () => {
  it('begins with its Monday and has whole weeks', () => {
    const weeks = weeksOf(2026, 10, []);
    expect(weeks.map((week) => week.map((day) => day?.date.getDate()))).toEqual([
      [undefined, undefined, undefined, undefined, undefined, undefined, 1],
      [2, 3, 4, 5, 6, 7, 8],
      [9, 10, 11, 12, 13, 14, 15],
      [16, 17, 18, 19, 20, 21, 22],
      [23, 24, 25, 26, 27, 28, 29],
      [30, undefined, undefined, undefined, undefined, undefined, undefined],
    ]);
    expect(weeksOf(2027, 1, []).flat()).toHaveLength(28);
  });

  it('shows on each day all who are on call on it, and nobody whose shift ends where the day begins', () => {
    const all = [shift('Ada', local(3, 9), local(5, 9)), shift('Bob', local(5, 9), local(6))];
    const names = weeksOf(2026, 10, all)
      .flat()
      .map((day) => day?.shifts.map(({ person }) => person.name).join());
    expect(names.slice(7, 13)).toEqual(['', 'Ada', 'Ada', 'Ada,Bob', '', '']);
  });
});

it('a day with a change of the clock is told from others', () => {
  const days = Array.from({ length: 365 }, (_, n) => new Date(2026, 0, n + 1)).filter(hasClockChange);
  const offsets = new Set(Array.from({ length: 12 }, (_, n) => new Date(2026, n, 1).getTimezoneOffset()));
  // In a zone without changes no day is.
  expect(days).toHaveLength(offsets.size === 1 ? 0 : 2);
});
