const mostMs = 20;
const msPerEvent = 2;
/** How long rows wait that no request waits for; one that comes to wait for them ends that. */
const notUrgentMs = 100;

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
 * Of an immediate projection only what no request waits for is gathered (ADR 42).
 */
export function gatherMs({ count, immediate, noneUrgent }: Applied): number {
  if (immediate) return noneUrgent ? notUrgentMs : 0;
  return Math.min(mostMs, msPerEvent * (count - 1));
}
