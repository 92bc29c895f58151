import { isSendable, type Lane, type LaneOperation, unsentOf } from './lane';
import { failed, tokenDead } from './outcome';
import { owe } from './owed';
import { readyAt, stamped } from './pace';

const second = 1_000;
const minute = 60 * second;
/**
 * How long a new update token may take after the old one died. After that the activity is considered gone from the
 * phone.
 */
export const newTokenWithinMs = 10 * minute;
/** Superseded operations are recorded together after this. */
const owedTogetherMs = 1 * second;

/** The result of checking a lane. */
export interface Look {
  readonly lane: Lane;
  /** The operation to send now, with its timestamp. */
  readonly send: { readonly operation: LaneOperation; readonly timestamp: number } | null;
}

/** Takes the operation to send now and marks it as under way. */
export function take(lane: Lane, nowMs: number): Look {
  const aged = ageing(lane, nowMs);
  const [first, ...rest] = aged.waiting;
  if (!first || aged.isUnderWay || !isSendable(aged, first) || readyAt(aged, first) > nowMs)
    return { lane: aged, send: null };
  const stamp = stamped(aged, nowMs);
  const tried: LaneOperation = { ...first, wasTried: true };
  return {
    lane: {
      ...aged,
      waiting: [tried, ...rest],
      isUnderWay: true,
      mayShow: aged.mayShow || first.kind === 'start',
      held: null,
      ...stamp,
      isRemade: false,
    },
    send: { operation: tried, timestamp: stamp.timestamp },
  };
}

/** Applies the effects of time to a lane: lost tokens and expired operations. */
function ageing(lane: Lane, nowMs: number): Lane {
  let aged = lane;
  if (
    aged.tokenLostAtMs !== null &&
    aged.state === 'started' &&
    !aged.isUnderWay &&
    nowMs >= aged.tokenLostAtMs + newTokenWithinMs
  )
    aged = failed({ ...aged, mayShow: false }, 'token_lost', tokenDead, nowMs);
  const late = unsentOf(aged).filter(({ untilMs }) => untilMs <= nowMs);
  if (late.length === 0) return aged;
  const hasBegun = !late.some(({ kind }) => kind === 'start');
  const left: Lane = { ...aged, waiting: aged.waiting.filter((one) => !late.includes(one)) };
  const isOver = left.waiting.length === 0 && (left.isEnded || (!hasBegun && !left.mayShow));
  return owe(isOver ? { ...left, state: 'over', token: null } : left, late, 'dropped', 'expired', nowMs);
}

/** When the lane is due next; null when it waits for an event. */
export function dueAt(lane: Lane): number | null {
  if (lane.isUnderWay) return null;
  const times: number[] = [];
  if (lane.owed.length > 0)
    times.push(
      lane.owed.every(({ outcome }) => outcome === 'superseded') ? lane.owedSinceMs + owedTogetherMs : 0,
    );
  const [first] = lane.waiting;
  if (first && isSendable(lane, first)) times.push(readyAt(lane, first));
  for (const { untilMs } of lane.waiting) times.push(untilMs);
  if (lane.tokenLostAtMs !== null && lane.state === 'started')
    times.push(lane.tokenLostAtMs + newTokenWithinMs);
  return times.length > 0 ? Math.min(...times) : null;
}
