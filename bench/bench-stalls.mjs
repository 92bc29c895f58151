// How many seconds of a run were stalls: with less than a tenth of what the median second had.
import { median } from './bench-house.mjs';

const secondMs = 1_000;
const share = 0.1;

/** `ends`: when each request was answered, by `performance.now()`. The last second, which is not full, is left out. */
export function stallsOf(ends) {
  if (ends.length === 0) return 0;
  const from = Math.min(...ends);
  const counts = Array.from({ length: Math.floor((Math.max(...ends) - from) / secondMs) }, () => 0);
  for (const at of ends) {
    const second = Math.floor((at - from) / secondMs);
    if (second < counts.length) counts[second] += 1;
  }
  const usual = median(counts) ?? 0;
  return counts.filter((count) => count < usual * share).length;
}
