import { instant, millis } from '@carillon/eventing';
import { maxAttempts, nextAttempt, retryAfterMs } from './schedule';

const at = '2026-11-20T09:00:00.000Z';
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const backoffAfter = (tries: number, chance: number, asked: number | null = null): number | null => {
  const next = nextAttempt({ tries, at, retryAfterMs: asked, chance });
  return next === null ? null : millis(next) - millis(at);
};

describe('the schedule', () => {
  it('waits as the contract says between its ten attempts', () => {
    expect(maxAttempts).toBe(10);
    const backoffs = Array.from({ length: 10 }, (_, index) => backoffAfter(index + 1, 0.5));
    expect(backoffs).toEqual([
      5 * second,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
      null,
    ]);
    expect(backoffs.reduce<number>((sum, pause) => sum + (pause ?? 0), 0) / hour).toBeCloseTo(75.6, 1);
  });

  it('is up to a tenth early or late', () => {
    for (let tries = 1; tries < 10; tries += 1) {
      const middle = backoffAfter(tries, 0.5)!;
      expect(backoffAfter(tries, 0)).toBe(Math.round(middle * 0.9));
      expect(backoffAfter(tries, 1)).toBe(Math.round(middle * 1.1));
    }
  });

  it('waits longer when the receiver asks for that, a day at most', () => {
    expect(backoffAfter(1, 0.5, 90 * second)).toBe(90 * second);
    expect(backoffAfter(1, 0.5, 30 * 24 * hour)).toBe(24 * hour);
  });

  it('does not hurry when the receiver asks for less', () => {
    expect(backoffAfter(2, 0.5, 2 * second)).toBe(5 * minute);
    expect(backoffAfter(9, 1, 24 * hour)).toBe(26.4 * hour);
  });

  it('adds no attempt when the receiver asks for patience after the last', () => {
    expect(backoffAfter(10, 0.5, 5 * minute)).toBeNull();
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 20, 9, 0, 0);

  it.each<[string | undefined, number | null]>([
    ['120', 120 * second],
    [' 0 ', 0],
    ['Fri, 20 Nov 2026 09:02:00 GMT', 2 * minute],
    ['Friday, 20-Nov-26 09:02:00 GMT', 2 * minute],
    ['Fri, 20 Nov 2026 08:00:00 GMT', 0],
    [undefined, null],
    ['', null],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['2026', 2026 * second],
    ['99999999999', null],
    [instant(now), null],
  ])('of %j', (value, expected) => {
    expect(retryAfterMs(value, now)).toBe(expected);
  });
});
