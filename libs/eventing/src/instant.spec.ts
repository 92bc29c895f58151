import { compareInstants, earlier, instant, isAfter, isBefore, later } from './instant';

const last = '9999-12-31T23:59:59.999Z';
/** Sorts before every other instant as text. */
const next = '+010000-01-01T00:00:00.000Z';

describe('two instants', () => {
  it('are ordered also when their years differ in the number of digits', () => {
    expect(instant(Date.parse(last) + 1)).toBe(next);
    expect(isBefore(last, next)).toBe(true);
    expect(isAfter(next, last)).toBe(true);
    expect([next, last].sort(compareInstants)).toEqual([last, next]);
    expect(earlier(next, last)).toBe(last);
    expect(later(last, next)).toBe(next);
  });

  it('are never before themselves', () => {
    expect(isBefore(last, last)).toBe(false);
    expect(isAfter(last, last)).toBe(false);
    expect(compareInstants(last, last)).toBe(0);
  });
});
