import { clockChanges, weeksOf, withPlanned } from './days';

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

describe('a planned override', () => {
  const names = (all: ReturnType<typeof withPlanned>) =>
    all.map(({ person, startsAt, endsAt }) => [person.name, startsAt, endsAt]);
  const whole = [shift('Ada', local(3), local(5)), shift('Bob', local(5), local(7))];

  it('cuts the shifts that it begins and ends in, and takes the place of those between', () => {
    expect(names(withPlanned(whole, [shift('Cem', local(4), local(6))]))).toEqual([
      ['Ada', local(3), local(4)],
      ['Cem', local(4), local(6)],
      ['Bob', local(6), local(7)],
    ]);
    expect(names(withPlanned(whole, [shift('Cem', local(3), local(7))]))).toEqual([
      ['Cem', local(3), local(7)],
    ]);
    expect(names(withPlanned(whole, [shift('Cem', local(3, 9), local(3, 12))]))).toEqual([
      ['Ada', local(3), local(3, 9)],
      ['Cem', local(3, 9), local(3, 12)],
      ['Ada', local(3, 12), local(5)],
      ['Bob', local(5), local(7)],
    ]);
  });

  it('of nobody leaves the shifts as they are', () => expect(withPlanned(whole, [])).toEqual(whole));
});

describe('a change of the clock', () => {
  it('is told of each zone once, on its day and on no other', () => {
    const days = Array.from(
      { length: 365 },
      (_, n) => [new Date(2026, 0, n + 1), new Date(2026, 0, n + 2)] as const,
    );
    const zones = ['Europe/Berlin', 'UTC', 'Europe/Berlin', 'America/New_York'];
    const changes = days.flatMap(([from, to]) => clockChanges(from, to, zones));
    expect(changes).toEqual(['America/New_York', 'Europe/Berlin', 'Europe/Berlin', 'America/New_York']);
  });
});
