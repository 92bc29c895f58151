import type { Platform } from '@carillon/contracts';
import {
  codeOf,
  isReachable,
  type Lane,
  operation,
  type LaneOperation,
  rested,
  underWayOf,
  unsentOf,
} from './lane';
import { owe } from './owed';
import { bounded, collapsed } from './waiting';

const second = 1_000;
const minute = 60 * second;
/** How long an expired activity can still be removed from a phone. */
export const expiryGraceMs = 60 * minute;

export interface Beginning {
  readonly platform: Platform;
  readonly sequence: number;
  readonly expiresAtMs: number;
  /** The device's next turn to start an activity. */
  readonly notBeforeMs: number;
  /** Another process may have worked on the lane before. */
  readonly isRemade?: boolean;
}

/** The lane of a new activity. */
export const begun = ({
  platform,
  sequence,
  expiresAtMs,
  notBeforeMs,
  isRemade = false,
}: Beginning): Lane => ({
  platform,
  expiresAtMs,
  state: 'starting',
  failure: null,
  isEnded: false,
  mayShow: false,
  startedAtMs: null,
  latest: { sequence, priority: 10 },
  token: null,
  tokenLostAtMs: null,
  round: 0,
  shift: 0,
  timestamp: 0,
  pacedUntilMs: 0,
  isRemade,
  waiting: [
    operation({ kind: 'start', sequence, priority: 10, notBeforeMs, untilMs: expiresAtMs, round: 0 }),
  ],
  isUnderWay: false,
  retryAtMs: 0,
  held: null,
  progress: rested,
  owed: [],
  owedSinceMs: 0,
  settled: [],
  counts: { accepted: 0, failed: 0, superseded: 0, dropped: 0 },
});

export interface Update {
  readonly sequence: number;
  readonly priority: 5 | 10;
  /** Newer updates supersede routine updates, but never granted ones. */
  readonly isRoutine: boolean;
  readonly atMs: number;
}

/** Adds an update of the activity's content. */
export function updated(lane: Lane, { sequence, priority, isRoutine, atMs }: Update): Lane {
  const update = operation({
    kind: 'update',
    sequence,
    priority,
    isRoutine,
    untilMs: lane.expiresAtMs,
    round: 0,
  });
  if (lane.isEnded || lane.state === 'over') return owe(lane, [update], 'dropped', 'ended', atMs);
  const known: Lane = { ...lane, latest: { sequence, priority } };
  if (known.state === 'failed') return owe(known, [update], 'failed', codeOf(known), atMs);
  return bounded(collapsed({ ...known, waiting: [...known.waiting, update] }, atMs), atMs);
}

export interface ActivityEnd {
  readonly sequence: number;
  readonly dismissAtMs: number;
  readonly atMs: number;
}

/** Ends the activity. The phone receives the end after all waiting operations. */
export function ended(lane: Lane, { sequence, dismissAtMs, atMs }: ActivityEnd): Lane {
  const end = operation({
    kind: 'end',
    sequence,
    priority: 10,
    untilMs: lane.expiresAtMs,
    dismissAtMs,
    round: 0,
  });
  if (lane.isEnded || lane.state === 'over') return owe(lane, [end], 'dropped', 'ended', atMs);
  const [first] = lane.waiting;
  const known: Lane = { ...lane, isEnded: true, latest: { sequence, priority: 10 } };
  // The device's turn to start has not come yet, so neither the start nor the end is sent.
  if (first?.kind === 'start' && !first.wasTried && first.notBeforeMs > atMs) {
    const none = owe(
      { ...known, state: 'over', waiting: [] },
      lane.waiting,
      'superseded',
      null,
      atMs,
      sequence,
    );
    return owe(none, [end], 'dropped', 'not_started', atMs);
  }
  if (known.state === 'failed' && !isReachable(known))
    return owe({ ...known, state: 'over' }, [end], 'failed', codeOf(known), atMs);
  return { ...known, waiting: [...withoutFarewell(known), end] };
}

/** The waiting operations without a farewell, which an end of the activity makes unnecessary. */
const withoutFarewell = (lane: Lane): LaneOperation[] => [
  ...underWayOf(lane),
  ...unsentOf(lane).filter(({ isFarewell }) => !isFarewell),
];

/** Expires the activity: waiting operations are dropped, and an end removes the activity from the phone. */
export function expired(
  lane: Lane,
  { sequence, atMs }: { readonly sequence: number; readonly atMs: number },
): Lane {
  const end = operation({
    kind: 'end',
    sequence,
    shows: lane.latest.sequence,
    priority: 10,
    untilMs: atMs + expiryGraceMs,
    dismissAtMs: atMs,
    round: 0,
  });
  if (lane.isEnded || lane.state === 'over') return owe(lane, [end], 'dropped', 'ended', atMs);
  const unsent = unsentOf(lane);
  const left = owe({ ...lane, isEnded: true, waiting: underWayOf(lane) }, unsent, 'dropped', 'expired', atMs);
  if (left.state === 'failed' && !isReachable(left))
    return owe({ ...left, state: 'over' }, [end], 'failed', codeOf(left), atMs);
  if (!left.mayShow) return owe({ ...left, state: 'over' }, [end], 'dropped', 'not_started', atMs);
  return { ...left, waiting: [...left.waiting, end] };
}
