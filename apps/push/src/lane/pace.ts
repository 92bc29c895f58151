import type { Lane, LaneOperation } from './lane';

const second = 1_000;
/**
 * iOS ignores a push without a newer timestamp, in whole seconds. A routine update waits for its own second; an update
 * that must not wait gets a future timestamp, this far ahead at most; an end is never delayed.
 */
const aheadSeconds = 10;
/** The time between two starts on one device. */
export const startEveryMs = 2 * second;
/** No update is paced for longer than this. */
export const maxPaceMs = (aheadSeconds + 4) * second;

/** When an operation of the lane may be sent. */
export function readyAt(
  { pacedUntilMs, retryAtMs }: Lane,
  { kind, isRoutine, notBeforeMs }: LaneOperation,
): number {
  const ownSecond = kind === 'update' ? pacedUntilMs - (isRoutine ? 0 : aheadSeconds * second) : 0;
  return Math.max(retryAtMs, notBeforeMs, ownSecond);
}

/** The timestamp of an operation that is sent now, and until when the next routine update waits. */
export function stamped(lane: Lane, nowMs: number): Pick<Lane, 'timestamp' | 'pacedUntilMs'> {
  const thisSecond = Math.floor(nowMs / second);
  const timestamp = Math.max(
    thisSecond,
    lane.timestamp + 1,
    lane.isRemade ? thisSecond + aheadSeconds + 2 : 0,
  );
  // After the clock was set back, updates do not wait until it has caught up.
  const paced = timestamp > thisSecond + aheadSeconds + 2 ? thisSecond : timestamp;
  return { timestamp, pacedUntilMs: (paced + 1) * second };
}

/** Clears the pacing after the clock was set back, so that no update waits for a second that is far away now. */
export const repaced = (lane: Lane): Lane => ({ ...lane, pacedUntilMs: 0 });
