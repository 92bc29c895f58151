import { spend } from './budget.js';

describe('a budget', () => {
  it('allows its count within its time', () => {
    const times: number[] = [];
    const limits = [{ count: 2, ms: 100 }];
    expect([0, 50, 99].map((now) => spend(times, now, limits))).toEqual([true, true, false]);
    expect([100, 149, 150].map((now) => spend(times, now, limits))).toEqual([true, false, true]);
  });

  it('counts nothing that it refuses', () => {
    const times: number[] = [];
    spend(times, 0, [{ count: 0, ms: 100 }]);
    expect(times).toEqual([]);
  });

  it('with several limits allows only what is within each', () => {
    const times: number[] = [];
    const limits = [
      { count: 1, ms: 10 },
      { count: 2, ms: 1000 },
    ];
    expect([0, 5, 10, 20, 999, 1000].map((now) => spend(times, now, limits))).toEqual([
      true,
      false,
      true,
      false,
      false,
      true,
    ]);
  });
});
