import type { QuietHoursFact } from '@carillon/contracts';
import { instant, Refused } from '@carillon/eventing';
import { isQuiet, quietHours, ringing, setQuietHours } from './quiet-hours';

const hours = (from: string, to: string, timezone = 'Europe/Berlin'): QuietHoursFact => ({
  from,
  to,
  timezone,
});
const at = (text: string) => instant(Date.parse(text));
const quietIn = (given: QuietHoursFact, ...times: readonly string[]): string[] =>
  times.filter((time) => isQuiet(given, at(time)));

describe('quiet hours', () => {
  it('are a part of a day: its end rings', () => {
    const times = ['10:59:59.999Z', '11:00:00Z', '13:59:59.999Z', '14:00:00Z'].map(
      (time) => `2026-06-01T${time}`,
    );
    expect(quietIn(hours('13:00', '16:00'), ...times)).toEqual(times.slice(1, 3));
  });

  it('go across midnight', () => {
    const times = [
      '2026-06-01T19:59:00Z',
      '2026-06-01T20:00:00Z',
      '2026-06-02T00:00:00Z',
      '2026-06-02T04:59:00Z',
      '2026-06-02T05:00:00Z',
    ];
    expect(quietIn(hours('22:00', '07:00'), ...times)).toEqual(times.slice(1, 4));
  });

  it('are the whole day where they end as they begin', () => {
    const times = ['2026-06-01T00:00:00Z', '2026-06-01T19:59:00Z', '2026-06-01T20:00:00Z'];
    expect(quietIn(hours('22:00', '22:00'), ...times)).toEqual(times);
  });

  it('keep to the wall clock when the clocks go forward', () => {
    // 02:00 becomes 03:00 at 01:00 UTC.
    const times = [
      '2026-03-28T22:29:00Z',
      '2026-03-28T22:30:00Z',
      '2026-03-29T04:59:00Z',
      '2026-03-29T05:00:00Z',
    ];
    expect(quietIn(hours('23:30', '07:00'), ...times)).toEqual(times.slice(1, 3));
  });

  it('end later by what the change skips where their end is skipped', () => {
    const times = ['2026-03-29T00:59:00Z', '2026-03-29T01:29:00Z', '2026-03-29T01:30:00Z'];
    expect(quietIn(hours('23:00', '02:30'), ...times)).toEqual(times.slice(0, 2));
  });

  it('begin and end at the first of a repeated time', () => {
    // 03:00 becomes 02:00 at 01:00 UTC: 02:30 is at 00:30 and at 01:30.
    const ends = ['2026-10-25T00:29:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:15:00Z'];
    expect(quietIn(hours('23:00', '02:30'), ...ends)).toEqual(ends.slice(0, 1));
    const begins = [
      '2026-10-25T00:29:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:15:00Z',
      '2026-10-25T05:00:00Z',
    ];
    expect(quietIn(hours('02:30', '06:00'), ...begins)).toEqual(begins.slice(1, 3));
  });

  it('are those of another zone', () => {
    const tokyo = hours('22:00', '07:00', 'Asia/Tokyo');
    expect([isQuiet(tokyo, at('2026-06-01T13:00:00Z')), isQuiet(tokyo, at('2026-06-01T12:59:00Z'))]).toEqual([
      true,
      false,
    ]);
  });

  it('leave out devices and count them', () => {
    const devices = [
      { deviceId: 'dev_1', hours: null },
      { deviceId: 'dev_2', hours: hours('22:00', '07:00') },
    ];
    expect(ringing(devices, at('2026-06-01T22:00:00Z'))).toEqual({ devices: [devices[0]], quiet: 1 });
    expect(ringing(devices, at('2026-06-01T12:00:00Z'))).toEqual({ devices });
  });
});

describe('setting quiet hours', () => {
  const set = (deviceId: string | null, given: QuietHoursFact | null) =>
    setQuietHours({ accountId: 'usr_1', deviceId, hours: given, at: at('2026-06-01T00:00:00Z') });
  const night = hours('22:00', '07:00');

  it('is for a device or for all others', () => {
    const events = [...set(null, night)(new Map()), ...set('dev_1', hours('20:00', '08:00'))(new Map())];
    const state = events.reduce(quietHours.evolve, quietHours.initial);
    expect([...state]).toEqual([
      [null, night],
      ['dev_1', hours('20:00', '08:00')],
    ]);
    expect([...set(null, null)(state).reduce(quietHours.evolve, state).keys()]).toEqual(['dev_1']);
  });

  it('does nothing the second time', () => {
    const state = set(null, night)(new Map()).reduce(quietHours.evolve, quietHours.initial);
    expect(set(null, { ...night })(state)).toEqual([]);
    expect(set('dev_1', null)(state)).toEqual([]);
  });

  it.each(['Mars/Olympus', '+02:00', '', '\u0000'])('is refused with the zone "%s"', (timezone) =>
    expect(() => set(null, hours('22:00', '07:00', timezone))(new Map())).toThrow(Refused),
  );
});
