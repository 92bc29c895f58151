import { type Lane, type LaneProgress, rested } from './lane';
import { rid, started } from './phone';
import { collapsed } from './waiting';

/** The lane while another activity of its device has the turn to start. */
export const postponed = (lane: Lane, untilMs: number): Lane => ({ ...lane, retryAtMs: untilMs });

/** The lane after the reason for holding it has changed. */
export const resumed = (lane: Lane): Lane => ({ ...lane, retryAtMs: 0, held: null });

/** The operation under way was not sent, or its result is unknown: the lane waits for a retry. */
export function waits(
  lane: Lane,
  {
    untilMs,
    held,
    progress,
    atMs,
  }: {
    readonly untilMs: number;
    readonly held: string | null;
    readonly progress: LaneProgress;
    readonly atMs: number;
  },
): Lane {
  const { failures, throttles, ambiguous } = progress;
  const resting: Lane = {
    ...lane,
    isUnderWay: false,
    retryAtMs: untilMs,
    held,
    progress: { failures, throttles, ambiguous },
  };
  return rests(resting, atMs);
}

/** The lane after its lease ended: its operation may have been sent, and is retried. */
export const released = (lane: Lane, atMs: number): Lane => rests({ ...lane, isUnderWay: false }, atMs);

/** Nothing of the lane is under way any more. */
function rests(lane: Lane, atMs: number): Lane {
  // A device that registered again keeps its activity: the farewell is dropped.
  if (lane.waiting[0]?.isFarewell) return lane.failure === 'gone' ? lane : farewellDone(lane);
  return collapsed(started(rid(lane, atMs), atMs), atMs);
}

/** The provider rejects updates at this token: they wait for the next token. */
export function tokenDied(lane: Lane, hash: string, atMs: number): Lane {
  const [first] = lane.waiting;
  const resting: Lane = { ...lane, isUnderWay: false, progress: rested, retryAtMs: 0 };
  if (first?.isFarewell) return farewellDone(resting);
  if (lane.token?.hash !== hash) return rests(resting, atMs);
  return rests({ ...resting, token: null, tokenLostAtMs: atMs }, atMs);
}

/** Removes the farewell: it was sent, or cannot be sent. */
export const farewellDone = (lane: Lane): Lane => {
  const isStill = lane.failure === 'gone';
  return {
    ...lane,
    waiting: lane.waiting.filter(({ isFarewell }) => !isFarewell),
    isUnderWay: false,
    progress: rested,
    retryAtMs: 0,
    ...(isStill && { mayShow: false, token: null }),
  };
};
