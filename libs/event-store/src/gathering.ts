const mostMs = 20;
const msPerEvent = 2;

/** The last transaction of a projection. */
interface Applied {
  /** How many events it applied. */
  readonly count: number;
  /** Requests wait for the rows of the projection. */
  readonly immediate: boolean;
  /** Requests wait for some of its events only, and it is known that none of these follows. */
  readonly noneUrgent: boolean;
}

/**
 * How long events wait for the next transaction. Under load a few large transactions cost a fraction of many small
 * ones, so they wait the longer, the more the last one applied: not at all after a single event, and 20 ms at most.
 * Of an immediate projection only what no request waits for is gathered, until the first that one waits for (ADR 42).
 */
export function gatherMs({ count, immediate, noneUrgent }: Applied): number {
  if (immediate) return noneUrgent ? mostMs : 0;
  return Math.min(mostMs, msPerEvent * (count - 1));
}
