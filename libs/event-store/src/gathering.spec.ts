import { gatherMs } from './gathering';

const applied = { count: 1, immediate: false, noneUrgent: false };

describe('the next events of a projection', () => {
  it('do not wait after a single one', () => expect(gatherMs(applied)).toBe(0));

  it('wait the longer, the more came before, and never longer than 20 ms', () => {
    const counts = [2, 3, 10, 11, 12, 500];
    expect(counts.map((count) => gatherMs({ ...applied, count }))).toEqual([2, 4, 18, 20, 20, 20]);
  });

  it('do not wait where requests wait for them', () =>
    expect(gatherMs({ ...applied, count: 500, immediate: true })).toBe(0));

  it('wait for what comes next where no request waits for them', () =>
    expect([1, 500].map((count) => gatherMs({ count, immediate: true, noneUrgent: true }))).toEqual([
      20, 20,
    ]));
});
