import {
  codeOf,
  isReachable,
  type Lane,
  operation,
  rested,
  underWayOf,
  unsentOf,
  type UpdateToken,
} from './lane';
import { owe } from './owed';

const second = 1_000;
const minute = 60 * second;
const farewellWithinMs = 10 * minute;

/** Registers the phone's update token. A new token receives the newest content, whatever the old one has received. */
export function registered(lane: Lane, token: UpdateToken, atMs: number): Lane {
  const { token: before } = lane;
  if (lane.state === 'over' || lane.failure === 'gone') return lane;
  if (before?.hash === token.hash && before.environment === token.environment) return lane;
  const isFirst = before === null && lane.tokenLostAtMs === null;
  const known: Lane = { ...lane, token, tokenLostAtMs: null, retryAtMs: 0, held: null, progress: rested };
  if (known.state === 'failed') {
    if (known.isEnded) return known;
    // The token shows that the activity runs on the phone after all.
    return again({ ...known, state: 'started', failure: null, mayShow: true });
  }
  if (isFirst) return started(known, atMs);
  return known.isEnded || unsentOf(known).length > 0 ? known : again(known);
}

/** Settles the start as accepted: a phone with an update token shows the activity, so the start needs no retry. */
export function started(lane: Lane, atMs: number): Lane {
  const [first, ...rest] = lane.waiting;
  if (first?.kind !== 'start' || lane.isUnderWay || lane.token === null) return lane;
  // A token from before a restart says nothing about the new start. For a rebuilt lane, the attempt may be in lost
  // rows.
  if (first.round > 0 || !(first.wasTried || lane.isRemade)) return lane;
  return owe(
    { ...lane, state: 'started', startedAtMs: atMs, waiting: rest },
    [first],
    'accepted',
    null,
    atMs,
  );
}

/** Adds an update that sends the newest content again. */
function again(lane: Lane): Lane {
  const { sequence, priority } = lane.latest;
  const round = lane.round + 1;
  const repeat = operation({
    kind: 'update',
    sequence,
    priority,
    isRoutine: true,
    untilMs: lane.expiresAtMs,
    round,
  });
  return { ...lane, round, waiting: [...lane.waiting, repeat] };
}

export interface Leaving {
  readonly code: string;
  /** An end is sent if possible, since the phone may still show the activity. */
  readonly withFarewell: boolean;
  readonly atMs: number;
}

/** Fails the lane: the device left the account, or no longer shows activities. */
export function gone(lane: Lane, { code, withFarewell, atMs }: Leaving): Lane {
  if (lane.state === 'over' || lane.failure === 'gone') return lane;
  const left = owe({ ...lane, waiting: underWayOf(lane) }, unsentOf(lane), 'failed', code, atMs);
  const lost: Lane = { ...left, state: 'failed', failure: 'gone' };
  if (!withFarewell || !isReachable(lost)) return { ...lost, token: null, mayShow: false };
  const farewell = operation({
    kind: 'end',
    sequence: lane.latest.sequence,
    priority: 10,
    untilMs: atMs + farewellWithinMs,
    dismissAtMs: atMs,
    round: 0,
    isFarewell: true,
  });
  return { ...lost, waiting: [...lost.waiting, farewell] };
}

/** Fails the operation that was under way when the device left: it is not retried. */
export function rid(lane: Lane, atMs: number): Lane {
  if (lane.failure !== 'gone') return lane;
  const unwanted = lane.waiting.filter(({ isFarewell }) => !isFarewell);
  const waiting = lane.waiting.filter(({ isFarewell }) => isFarewell);
  return owe({ ...lane, waiting, retryAtMs: 0, held: null }, unwanted, 'failed', codeOf(lane), atMs);
}

/** Starts a failed activity again with the newest content, after the device has registered again. */
export function restarted(
  lane: Lane,
  { notBeforeMs, atMs }: { readonly notBeforeMs: number; readonly atMs: number },
): Lane {
  if (!isRestartable(lane, atMs)) return lane;
  const waiting = underWayOf(lane);
  const known: Lane = {
    ...lane,
    failure: null,
    waiting,
    // The app on the phone remembers the sequences that it has received, including the farewell's.
    shift: lane.shift + 2,
    // The phone's farewell may be in transit.
    mayShow: waiting.length === 0 && lane.mayShow,
    retryAtMs: 0,
    held: null,
    progress: rested,
  };
  if (isReachable(known)) return again({ ...known, state: 'started' });
  const round = lane.round + 1;
  const start = operation({
    kind: 'start',
    sequence: lane.latest.sequence,
    priority: 10,
    notBeforeMs,
    untilMs: lane.expiresAtMs,
    round,
  });
  return {
    ...known,
    state: 'starting',
    mayShow: false,
    startedAtMs: null,
    token: null,
    tokenLostAtMs: null,
    round,
    waiting: [...known.waiting, start],
  };
}

/** Whether the activity may start again. One that the person apparently dismissed (`token_lost`) does not. */
export const isRestartable = (lane: Lane, atMs: number): boolean =>
  lane.state === 'failed' && !lane.isEnded && lane.failure !== 'token_lost' && atMs < lane.expiresAtMs;
