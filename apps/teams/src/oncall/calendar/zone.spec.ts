import { plus } from '@carillon/eventing';
import { text, written } from './lines';
import { time, zone } from './zone';

const at = '2026-11-20T12:00:00.000Z';
const year = { startsAt: at, endsAt: plus(at, 365 * 24 * 3_600_000) };

describe('a VTIMEZONE', () => {
  it('has the clock changes of its window, and the one before it', () =>
    expect(zone('Europe/Berlin', year).filter((line) => /^(BEGIN|DTSTART|TZOFF)/.test(line))).toEqual([
      'BEGIN:VTIMEZONE',
      ...['BEGIN:STANDARD', 'DTSTART:20261025T030000', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
      ...['BEGIN:DAYLIGHT', 'DTSTART:20270328T020000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200'],
      ...['BEGIN:STANDARD', 'DTSTART:20271031T030000', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
    ]));
  it('of a zone that never changes has one offset', () =>
    expect(zone('UTC', year)).toContain('DTSTART:19700101T000000'));
  it('is written of every zone, also of one whose last change was from a time of seconds', () => {
    for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')])
      expect(zone(name, year).filter((line) => line.startsWith('TZOFFSETTO')).length).toBeGreaterThan(0);
  });
});

describe('a time', () => {
  it('is on the wall clock of its zone', () =>
    expect(time('2026-11-20T12:00:00.999Z', 'Europe/Berlin')).toBe(';TZID=Europe/Berlin:20261120T130000'));
  it('is in UTC when the wall clock shows it for the second time', () => {
    expect(time('2026-10-25T00:30:00.000Z', 'Europe/Berlin')).toBe(';TZID=Europe/Berlin:20261025T023000');
    expect(time('2026-10-25T01:30:00.000Z', 'Europe/Berlin')).toBe(':20261025T013000Z');
  });
});

describe('lines', () => {
  it('are folded after 75 octets, and no character is cut', () => {
    const folded = written([`SUMMARY:${'ü'.repeat(60)}`]);
    expect(folded.split('\r\n').map((line) => Buffer.byteLength(line))).toEqual([74, 55, 0]);
    expect(folded.replaceAll('\r\n ', '')).toBe(`SUMMARY:${'ü'.repeat(60)}\r\n`);
  });
  it('have text without what separates values', () =>
    expect(text('a;b,c\\d\r\ne')).toBe('a\\;b\\,c\\\\d\\ne'));
});
