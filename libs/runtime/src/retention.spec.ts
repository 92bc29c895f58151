import { keptSince } from './retention';

describe('the time since which rows are kept', () => {
  it('is so many days ago', () =>
    expect(keptSince('2026-11-26T12:00:00.000Z', 90)).toBe('2026-08-28T12:00:00.000Z'));
  it('is before all of them when they are kept for ever', () =>
    expect(keptSince('2026-11-26T12:00:00.000Z', 0)).toBe('1970-01-01T00:00:00.000Z'));
});
