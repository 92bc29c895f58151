import fc from 'fast-check';
import { instant, millis } from '@carillon/eventing';
import { Temporal } from 'temporal-polyfill';
import { anchorOf, handoff, type RotationSchedule, shiftedByMinutes, turnAt, whoseTurn } from './rotation';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
const people = ['usr_ann', 'usr_ben', 'usr_cem'];
const rotation = (
  timezone: string,
  anchor: string,
  handoffAt: string,
  more: Partial<RotationSchedule> = {},
): RotationSchedule => ({
  accountIds: people,
  period: 'daily',
  handoffAt,
  timezone,
  anchor,
  ...more,
});
const local = (of: RotationSchedule, turn: number): string =>
  Temporal.Instant.fromEpochMilliseconds(millis(handoff(of, turn).at))
    .toZonedDateTimeISO(of.timezone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' });

const two = (n: number): string => String(n).padStart(2, '0');
const anyRotation = fc.record({
  accountIds: fc.uniqueArray(fc.constantFrom('usr_a', 'usr_b', 'usr_c', 'usr_d', 'usr_e'), { minLength: 1 }),
  period: fc.constantFrom('daily' as const, 'weekly' as const),
  handoffAt: fc.tuple(fc.nat(23), fc.nat(59)).map(([h, m]) => `${two(h)}:${two(m)}`),
  timezone: fc.constantFrom(...zones),
  anchor: fc
    .date({
      min: new Date('2008-01-01T00:00:00Z'),
      max: new Date('2037-12-01T00:00:00Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString().slice(0, 10)),
});
const anyTime = fc
  .integer({ min: Date.parse('2008-01-01T00:00:00Z'), max: Date.parse('2038-01-01T00:00:00Z') })
  .map(instant);

describe('a rotation in any zone of the runtime, over thirty years', () => {
  it('has one turn at any time, which begins before it and ends after it', () => {
    expect(zones.length).toBeGreaterThan(400);
    fc.assert(
      fc.property(anyRotation, anyTime, (of, at) => {
        const turn = turnAt(of, at);
        expect(handoff(of, turn).at <= at && at < handoff(of, turn + 1).at).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never goes back', () =>
    fc.assert(
      fc.property(anyRotation, fc.nat(4_000), (of, turn) =>
        expect(handoff(of, turn).at <= handoff(of, turn + 1).at).toBe(true),
      ),
      { numRuns: 500 },
    ));

  it('hands over at the time that it names, but where a clock change leaves that out', () =>
    fc.assert(
      fc.property(anyRotation, fc.nat(4_000), (of, turn) => {
        const shifted = shiftedByMinutes(of, turn);
        if (shifted <= 0) expect(local(of, turn).slice(11)).toBe(of.handoffAt);
        else expect(local(of, turn).slice(11)).not.toBe(of.handoffAt);
      }),
      { numRuns: 500 },
    ));
});

describe('in every zone, every day of its clock changes', () => {
  it('a handoff in the changed hours comes once a day and in order', () => {
    const changes = zones.flatMap((timezone) => changesOf(timezone).map((date) => ({ timezone, date })));
    expect(changes.length).toBeGreaterThan(200);
    for (const { timezone, date } of changes)
      for (const handoffAt of ['00:00', '02:30']) {
        const of = rotation(timezone, date.subtract({ days: 2 }).toString(), handoffAt);
        const times = [0, 1, 2, 3, 4].map((turn) => handoff(of, turn).at);
        expect([...times].sort()).toEqual(times);
        for (const [turn, at] of times.entries()) expect([turn, turn + 1]).toContain(turnAt(of, at));
      }
  });
});

/** The local dates in a year with a change of the zone's offset. */
function changesOf(timezone: string): Temporal.PlainDate[] {
  const dates: Temporal.PlainDate[] = [];
  let at = Temporal.PlainDate.from('2026-01-01').toZonedDateTime(timezone);
  for (
    let next = at.getTimeZoneTransition('next');
    next?.year === 2026;
    next = at.getTimeZoneTransition('next')
  ) {
    dates.push(next.toPlainDate());
    at = next;
  }
  return dates;
}

describe('a handoff', () => {
  it('in the gap of Berlin is an hour later on the wall clock', () => {
    const of = rotation('Europe/Berlin', '2026-03-28', '02:30');
    expect([0, 1, 2].map((turn) => local(of, turn))).toEqual([
      '2026-03-28T02:30',
      '2026-03-29T03:30',
      '2026-03-30T02:30',
    ]);
    expect([0, 1, 2].map((turn) => shiftedByMinutes(of, turn))).toEqual([0, 60, 0]);
  });

  it('in the fold of Berlin is at the first of both', () => {
    const of = rotation('Europe/Berlin', '2026-10-24', '02:30');
    expect(handoff(of, 1).at).toBe('2026-10-25T00:30:00.000Z');
    expect([0, 1, 2].map((turn) => shiftedByMinutes(of, turn))).toEqual([0, -60, 0]);
    expect(millis(handoff(of, 2).at) - millis(handoff(of, 1).at)).toBe(25 * 3_600_000);
  });

  it('in the half hour of Lord Howe moves by half an hour', () => {
    const of = rotation('Australia/Lord_Howe', '2026-10-03', '02:15');
    expect(local(of, 1)).toBe('2026-10-04T02:45');
    expect(shiftedByMinutes(of, 1)).toBe(30);
  });

  it('on the day that Apia skipped falls together with the next, whose turn it is', () => {
    const of = rotation('Pacific/Apia', '2011-12-29', '09:00');
    expect([0, 1, 2, 3].map((turn) => local(of, turn))).toEqual([
      '2011-12-29T09:00',
      '2011-12-31T09:00',
      '2011-12-31T09:00',
      '2012-01-01T09:00',
    ]);
    expect(turnAt(of, handoff(of, 2).at)).toBe(2);
    expect(shiftedByMinutes(of, 1)).toBe(24 * 60);
  });

  it('at midnight in Cairo moves to one o’clock when the clocks go forward there', () => {
    const of = rotation('Africa/Cairo', '2026-04-23', '00:00');
    expect(local(of, 1)).toBe('2026-04-24T01:00');
    expect(turnAt(of, handoff(of, 1).at)).toBe(1);
  });

  it('comes on a leap day, and a week after it', () => {
    expect(local(rotation('UTC', '2028-02-28', '09:00'), 1)).toBe('2028-02-29T09:00');
    expect(local(rotation('UTC', '2028-02-29', '09:00', { period: 'weekly' }), 1)).toBe('2028-03-07T09:00');
  });

  it('is found as fast a thousand years after the first', () => {
    const of = rotation('Europe/Berlin', '1026-01-01', '09:00');
    expect(turnAt(of, '2026-11-22T12:00:00.000Z')).toBe(
      Temporal.PlainDate.from('1026-01-01').until('2026-11-22').days,
    );
  });
});

describe('whose turn it is', () => {
  it('goes round', () =>
    expect([0, 1, 2, 3, 4].map((turn) => whoseTurn(rotation('UTC', '2026-01-01', '09:00'), turn))).toEqual([
      ...people,
      'usr_ann',
      'usr_ben',
    ]));
  it('is nobody’s before the first, nor when nobody is left', () => {
    expect(whoseTurn(rotation('UTC', '2026-01-01', '09:00'), -1)).toBeNull();
    expect(whoseTurn(rotation('UTC', '2026-01-01', '09:00', { accountIds: [] }), 3)).toBeNull();
  });
});

describe('the first date', () => {
  const berlin = { period: 'daily', handoffAt: '09:00', timezone: 'Europe/Berlin' } as const;
  const now = '2026-11-22T07:00:00.000Z';
  it('is the local one of the time that was given', () => {
    expect(anchorOf(berlin, '2026-11-21T23:30:00.000Z', now)).toBe('2026-11-22');
    expect(anchorOf(berlin, '2026-11-21T22:30:00.000Z', now)).toBe('2026-11-21');
  });
  it('else that of the newest handoff', () => {
    expect(anchorOf(berlin, undefined, now)).toBe('2026-11-21');
    expect(anchorOf(berlin, undefined, '2026-11-22T08:00:00.000Z')).toBe('2026-11-22');
    expect(anchorOf({ ...berlin, period: 'weekly' }, undefined, now)).toBe('2026-11-15');
  });
});
