import type { Lane, LaneOutcome } from './lane';

/** An iPhone that has not sent its update token after this gets a warning. */
const tokenTimeoutMs = 30_000;

/** The outcome of the change with this sequence; undefined when the lane does not have the change. */
export function statusOf(lane: Lane, sequence: number): LaneOutcome | 'queued' | undefined {
  if (lane.waiting.some((one) => one.sequence === sequence && !one.isFarewell)) return 'queued';
  return lane.settled.findLast((one) => one.sequence === sequence)?.outcome;
}

/** How many routine changes the one with this sequence superseded. */
export const supersededBy = (lane: Lane, sequence: number): number =>
  lane.settled.filter(({ by }) => by === sequence).length;

export const isStartQueued = (lane: Lane): boolean => lane.waiting.some(({ kind }) => kind === 'start');

/** When a queued start will be sent, as far as is known. */
export function nextStartAt(lane: Lane): number | null {
  const start = lane.waiting.find(({ kind }) => kind === 'start');
  return start ? Math.max(start.notBeforeMs, lane.retryAtMs) : null;
}

export const isAwaitingToken = (lane: Lane): boolean =>
  lane.platform === 'ios' && lane.state === 'started' && lane.token === null;

export const isReady = (lane: Lane): boolean =>
  lane.state === 'started' && !isStartQueued(lane) && !isAwaitingToken(lane);

/** The update token of the activity is late. */
export const isTokenDelayed = (lane: Lane, nowMs: number): boolean =>
  isAwaitingToken(lane) && nowMs >= (lane.tokenLostAtMs ?? lane.startedAtMs ?? nowMs) + tokenTimeoutMs;
