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

/** The phone says where it takes updates. A new address hears the newest content, whatever the old one has heard. */
export function registered(lane: Lane, token: UpdateToken, atMs: number): Lane {
  const { token: before } = lane;
  if (lane.state === 'over' || lane.failure === 'gone') return lane;
  if (before?.hash === token.hash && before.environment === token.environment) return lane;
  const isFirst = before === null && lane.tokenLostAtMs === null;
  const known: Lane = { ...lane, token, tokenLostAtMs: null, retryAtMs: 0, held: null, progress: rested };
  if (known.state === 'failed') {
    if (known.isEnded) return known;
    // The activity runs on the phone after all.
    return again({ ...known, state: 'started', failure: null, mayShow: true });
  }
  if (isFirst) return started(known, atMs);
  return known.isEnded || unsentOf(known).length > 0 ? known : again(known);
}

/** A phone that has a token shows the activity: its start needs no further try. */
export function started(lane: Lane, atMs: number): Lane {
  const [first, ...rest] = lane.waiting;
  if (first?.kind !== 'start' || lane.isUnderWay || lane.token === null) return lane;
  // A token from before a new start says nothing of the new one. The rows that knew of a try may be lost.
  if (first.round > 0 || !(first.wasTried || lane.isRemade)) return lane;
  return owe(
    { ...lane, state: 'started', startedAtMs: atMs, waiting: rest },
    [first],
    'accepted',
    null,
    atMs,
  );
}

/** Adds an update that sends the newest content once more. */
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
  /** The phone may still show the activity, and can be told to take it away. */
  readonly withFarewell: boolean;
  readonly atMs: number;
}

/** The device is not the account's any more, or shows no activities any more. */
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

/** Fails what was under way when the device went: it is not tried again. */
export function rid(lane: Lane, atMs: number): Lane {
  if (lane.failure !== 'gone') return lane;
  const unwanted = lane.waiting.filter(({ isFarewell }) => !isFarewell);
  const waiting = lane.waiting.filter(({ isFarewell }) => isFarewell);
  return owe({ ...lane, waiting, retryAtMs: 0, held: null }, unwanted, 'failed', codeOf(lane), atMs);
}

/** The device has registered anew: what had failed there begins again with the newest content. */
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
    // The app on the phone remembers what it was told before, its farewell included.
    shift: lane.shift + 2,
    // The phone's farewell may be on the way.
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

/** An activity that left the phone by itself, by the person's hand as it seems, is not brought back. */
export const isRestartable = (lane: Lane, atMs: number): boolean =>
  lane.state === 'failed' && !lane.isEnded && lane.failure !== 'token_lost' && atMs < lane.expiresAtMs;
