import { plus } from '@carillon/eventing';
import { isKept, keptSince, listedDays } from './retention';

const now = '2026-11-26T12:00:00.000Z';
const dayMs = 24 * 60 * 60 * 1000;
const before = process.env['CARILLON_KEEP_DAYS'];
afterEach(() => {
  if (before === undefined) delete process.env['CARILLON_KEEP_DAYS'];
  else process.env['CARILLON_KEEP_DAYS'] = before;
});

describe('what is kept', () => {
  it('is younger than the days', () => {
    expect(isKept(plus(now, -90 * dayMs), now, 90)).toBe(false);
    expect(isKept(plus(now, -90 * dayMs + 1), now, 90)).toBe(true);
  });

  it('is everything when it is kept for ever', () => {
    expect(isKept('1970-01-02T00:00:00.000Z', now, 0)).toBe(true);
    expect(keptSince(now, 0)).toBe('1970-01-01T00:00:00.000Z');
  });

  it('is listed for the days of its list, and no longer than it is kept', () => {
    for (const [kept, days] of [
      ['90', 30],
      ['8', 8],
      ['0', 30],
    ] as const) {
      process.env['CARILLON_KEEP_DAYS'] = kept;
      expect(listedDays(30)).toBe(days);
    }
  });
});
