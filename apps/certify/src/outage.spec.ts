import { longestGapMs } from './outage';

it.each([
  ['nothing came', [], 10_000],
  ['all came', [2_000, 4_000, 6_000, 8_000, 10_000], 2_000],
  ['nothing came at first', [7_000, 8_000], 6_000],
  ['nothing came in the end', [2_000, 3_000], 8_000],
  ['nothing came in between', [9_000, 2_000], 7_000],
  ['what came was outside', [500, 12_000], 10_000],
] as const)('the longest gap when %s', (_, timesMs, gapMs) => {
  expect(longestGapMs(timesMs, 1_000, 11_000)).toBe(gapMs);
});
