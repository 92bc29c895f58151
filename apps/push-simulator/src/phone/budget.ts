/** A maximum of `count` within `ms`. */
export interface Limit {
  count: number;
  ms: number;
}

export const hour = 3_600_000;

/** Counts one more at `now` when it is within every limit; false when a limit is reached, with nothing counted. */
export function spend(times: number[], now: number, limits: readonly Limit[]): boolean {
  const longest = Math.max(0, ...limits.map(({ ms }) => ms));
  while (times.length > 0 && times[0]! <= now - longest) times.shift();
  for (const { count, ms } of limits) if (times.filter((at) => at > now - ms).length >= count) return false;
  times.push(now);
  return true;
}
