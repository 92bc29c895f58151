import { isReachable, isSame, type Lane, rested, type Settlement, underWayOf, unsentOf } from './lane';
import { noted, owe, recounted } from './owed';

/** The error code of operations for which no new update token came. */
export const tokenDead = 'update_token_dead';

/** Applies an operation's outcome from the log, which overrides the outcome assumed here. */
export function heard(lane: Lane, settlement: Settlement, atMs: number): Lane {
  const { outcome } = settlement;
  const owed = lane.owed.find((one) => isSame(one, settlement));
  if (owed) {
    const left: Lane = { ...lane, owed: lane.owed.filter((one) => one !== owed) };
    if (owed.outcome === outcome) return left;
    return affected(recounted(left, owed, outcome), settlement, atMs);
  }
  const [first] = lane.waiting;
  const found = lane.waiting.find((one) => !one.isFarewell && isSame(one, settlement));
  if (!found) {
    // The operation is a repeat that only lost rows contained.
    if (settlement.round === 0 || lane.settled.some((one) => isSame(one, settlement))) return lane;
    const round = Math.max(lane.round, settlement.round);
    return affected(noted({ ...lane, round }, settlement, outcome, null), settlement, atMs);
  }
  const left: Lane = {
    ...lane,
    waiting: lane.waiting.filter((one) => one !== found),
    ...(found === first && { isUnderWay: false, retryAtMs: 0, held: null, progress: rested }),
    isRemade: lane.isRemade || (outcome === 'accepted' && !found.wasTried),
  };
  const isAmbiguous = found === first && lane.progress.ambiguous;
  return affected(noted(left, found, outcome, null), settlement, atMs, isAmbiguous);
}

/** Applies the effects of an operation's outcome on the other operations of its lane. */
function affected(lane: Lane, settlement: Settlement, atMs: number, isAmbiguous = false): Lane {
  const { kind, sequence, outcome } = settlement;
  if (outcome === 'accepted') {
    if (kind === 'end') return over(lane, atMs);
    // An update older than the phone's content must never follow it.
    const late = unsentOf(lane).filter((one) => one.kind === 'update' && one.sequence < sequence);
    const ahead: Lane = { ...lane, waiting: lane.waiting.filter((one) => !late.includes(one)) };
    const left = owe(ahead, late, 'superseded', null, atMs, sequence);
    if (kind !== 'start') return left;
    return {
      ...left,
      mayShow: true,
      startedAtMs: left.startedAtMs ?? atMs,
      ...(left.state === 'starting' && { state: 'started' }),
    };
  }
  if (kind === 'end') return over(lane, atMs);
  if (outcome === 'failed') {
    const isNowhere = kind === 'start' && !isAmbiguous;
    return failed(
      { ...lane, ...(isNowhere && { mayShow: false }) },
      failureOf(settlement),
      settlement.errorCode,
      atMs,
    );
  }
  // An activity whose start was dropped is over before it began.
  return kind === 'start' ? over(lane, atMs) : lane;
}

const failureOf = ({ errorCode }: Settlement): 'refused' | 'token_lost' =>
  errorCode === tokenDead ? 'token_lost' : 'refused';

/** Drops the waiting operations: the activity has left the phone. */
function over(lane: Lane, atMs: number): Lane {
  const left = owe({ ...lane, waiting: underWayOf(lane) }, unsentOf(lane), 'dropped', 'ended', atMs);
  return { ...left, state: 'over', token: null };
}

/** Fails the lane: nothing more is sent except an end that removes the activity from the screen. */
export function failed(
  lane: Lane,
  failure: 'refused' | 'token_lost',
  code: string | null,
  atMs: number,
): Lane {
  if (lane.state === 'over' || lane.failure === 'gone') return lane;
  const lost: Lane = { ...lane, state: 'failed', failure };
  const unsent = unsentOf(lost);
  const kept = isReachable(lost) ? unsent.filter(({ kind }) => kind === 'end') : [];
  const refused = unsent.filter((one) => !kept.includes(one));
  const left = owe({ ...lost, waiting: [...underWayOf(lost), ...kept] }, refused, 'failed', code, atMs);
  return left.isEnded && left.waiting.length === 0 ? { ...left, state: 'over', token: null } : left;
}
