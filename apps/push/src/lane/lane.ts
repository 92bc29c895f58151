import type { ActivityPushed, Platform, PushEnvironment } from '@carillon/contracts';

/**
 * The way of one live activity to one device. What the phone is to be told waits here in its order; one request is
 * under way at most. All times are milliseconds since the Unix epoch. Plain data: it is kept as JSON.
 */
export interface Lane {
  readonly platform: Platform;
  /** The activity's own deadline: what waits dies then. */
  readonly expiresAtMs: number;
  readonly state: 'starting' | 'started' | 'failed' | 'over';
  readonly failure: 'refused' | 'token_lost' | 'gone' | null;
  /** The activity has ended or expired: nothing new comes. */
  readonly isEnded: boolean;
  /** A start was tried, so that the phone may show it. */
  readonly mayShow: boolean;
  /** When the provider accepted the start. */
  readonly startedAtMs: number | null;
  /** The newest content that was asked for. */
  readonly latest: Pick<Operation, 'sequence' | 'priority'>;
  /** Where iOS takes updates. */
  readonly token: UpdateToken | null;
  /** Since when iOS takes no updates any more at the token that it had. */
  readonly tokenLostAtMs: number | null;
  /** Grows when the phone is told again what it was told before; what is told first has 0. */
  readonly round: number;
  /** What is added to the sequences on the phone, so that they grow when it starts again. */
  readonly shift: number;
  /** The newest in whole seconds that the phone was sent. */
  readonly timestamp: number;
  /** What shows progress waits for its own second. */
  readonly pacedUntilMs: number;
  /** Made again from the log, so that the phone may have been sent a newer timestamp. */
  readonly isRemade: boolean;
  /** In their order. The first may be under way. */
  readonly waiting: readonly Operation[];
  readonly isUnderWay: boolean;
  /** Before this the provider, or a lack of an address, lets nothing through. */
  readonly retryAtMs: number;
  /** What the next try waits for, when it is not only time. */
  readonly held: string | null;
  readonly progress: LaneProgress;
  /** Settled here, and not in the log yet. */
  readonly owed: readonly Settlement[];
  readonly owedSinceMs: number;
  /** The newest settled ones, for who asks what became of a change. */
  readonly settled: readonly Settled[];
  readonly counts: Counts;
}

export interface Operation {
  readonly kind: 'start' | 'update' | 'end';
  readonly sequence: number;
  readonly round: number;
  /** The change whose content it carries. */
  readonly shows: number;
  readonly priority: 5 | 10;
  /** A newer one of its kind takes its place while it is unsent. */
  readonly isRoutine: boolean;
  readonly notBeforeMs: number;
  readonly untilMs: number;
  /** When an ended activity leaves the screen. */
  readonly dismissAtMs: number | null;
  /** It may have been sent, whatever became of it. */
  readonly wasTried: boolean;
  /** It takes the activity off a phone that is no longer the account's, and is no operation of the activity. */
  readonly isFarewell: boolean;
}

export interface UpdateToken {
  /** Tells tokens apart. */
  readonly hash: string;
  readonly sealed: string;
  readonly environment: PushEnvironment;
}

export interface LaneProgress {
  readonly failures: number;
  readonly throttles: number;
  readonly ambiguous: boolean;
}

export type LaneOutcome = ActivityPushed['outcome'];

/** Which operation is meant. */
export type OperationKey = Pick<Operation, 'kind' | 'sequence' | 'round'>;

export interface Settlement extends OperationKey {
  readonly outcome: LaneOutcome;
  readonly errorCode: string | null;
}

export interface Settled extends OperationKey {
  readonly outcome: LaneOutcome;
  /** The change that took its place. */
  readonly by: number | null;
}

export type Counts = Readonly<Record<LaneOutcome, number>>;

const second = 1_000;
const minute = 60 * second;

/** Between two starts on one device. */
export const startEveryMs = 2 * second;
/** An iPhone that has not sent its update token after this deserves a word. */
export const tokenPatienceMs = 30 * second;
/** So long a new token may take to come after the old one died. Then the activity is not on the phone any more. */
export const newTokenWithinMs = 10 * minute;
/** So long an expired activity may still be taken off a phone. */
export const expiryGraceMs = 60 * minute;
const farewellWithinMs = 10 * minute;
/**
 * iOS ignores what does not have a newer timestamp, in whole seconds. What shows progress waits for its own second; what
 * must not wait is dated ahead, this far at most; an end always goes.
 */
const aheadSeconds = 10;
/** So many may wait; more than that only who changes a prompt's activity all the time can make. */
const mostWaiting = 1_000;
const mostSettled = 40;
/** What gave way to newer ones is told in one go. */
const owedTogetherMs = 1 * second;

/** Why operations failed that no new update token came for. */
const tokenDead = 'update_token_dead';

const rested: LaneProgress = { failures: 0, throttles: 0, ambiguous: false };

/** Whether a repeat is a start or an update depends on what was known of the phone; it is the same one. */
export const isSame = (a: OperationKey, b: OperationKey): boolean =>
  a.sequence === b.sequence && a.round === b.round && (a.kind === b.kind || a.round > 0);

// ------------------------------------------------------------------------------------------------ what comes

export interface Beginning {
  readonly platform: Platform;
  readonly sequence: number;
  readonly expiresAtMs: number;
  /** The device's turn to start one more. */
  readonly notBeforeMs: number;
  /** It may have been worked on before. */
  readonly isRemade?: boolean;
}

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

const operation = (
  given: Pick<Operation, 'kind' | 'sequence' | 'priority' | 'untilMs' | 'round'> & Partial<Operation>,
): Operation => ({
  shows: given.sequence,
  isRoutine: false,
  notBeforeMs: 0,
  dismissAtMs: null,
  wasTried: false,
  isFarewell: false,
  ...given,
});

export interface Update {
  readonly sequence: number;
  readonly priority: 5 | 10;
  /** Granted ones never give way. */
  readonly isRoutine: boolean;
  readonly atMs: number;
}

/** The activity is to look different. */
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

export interface Ending {
  readonly sequence: number;
  readonly dismissAtMs: number;
  readonly atMs: number;
}

/** The activity is over. The phone hears of it after all that it is still to hear. */
export function ended(lane: Lane, { sequence, dismissAtMs, atMs }: Ending): Lane {
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
  // Its turn to start has not even come: nobody has to see it begin and end.
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

/** An end does what a farewell does. */
const withoutFarewell = (lane: Lane): Operation[] => [
  ...underWayOf(lane),
  ...unsentOf(lane).filter(({ isFarewell }) => !isFarewell),
];

/** Its time is over: what waits is not sent any more, and the phone is told to take it away. */
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

/** The phone says where it takes updates. A new place hears the newest content, whatever the old one has heard. */
export function registered(lane: Lane, token: UpdateToken, atMs: number): Lane {
  const { token: before } = lane;
  if (lane.state === 'over' || lane.failure === 'gone') return lane;
  if (before?.hash === token.hash && before.environment === token.environment) return lane;
  const isFirst = before === null && lane.tokenLostAtMs === null;
  const known: Lane = { ...lane, token, tokenLostAtMs: null, retryAtMs: 0, held: null, progress: rested };
  if (known.state === 'failed') {
    if (known.isEnded) return known;
    // It runs there after all.
    return again({ ...known, state: 'started', failure: null, mayShow: true });
  }
  if (isFirst) return started(known, atMs);
  return known.isEnded || unsentOf(known).length > 0 ? known : again(known);
}

/** A phone that has a token shows the activity: its start needs no further try. */
function started(lane: Lane, atMs: number): Lane {
  const [first, ...rest] = lane.waiting;
  if (first?.kind !== 'start' || lane.isUnderWay || lane.token === null) return lane;
  // A token from before a new start says nothing of that. And the rows that knew of a try may be lost.
  if (first.round > 0 || !(first.wasTried || lane.isRemade)) return lane;
  return owe(
    { ...lane, state: 'started', startedAtMs: atMs, waiting: rest },
    [first],
    'accepted',
    null,
    atMs,
  );
}

/** Sends the newest content once more. */
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
  /** The phone may still show it, and can be told to take it away. */
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

/** What was under way when the device went is not tried again. */
function rid(lane: Lane, atMs: number): Lane {
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
    // Its farewell may be on the way.
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

/** Another one of the device has its turn to start. */
export const postponed = (lane: Lane, untilMs: number): Lane => ({ ...lane, retryAtMs: untilMs });

/** What a hold waited for has changed. */
export const resumed = (lane: Lane): Lane => ({ ...lane, retryAtMs: 0, held: null });

// ---------------------------------------------------------------------------------------------- what is said

/** The log says what became of an operation. It wins over what was thought here. */
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
    // A repeat that the rows which are lost knew of.
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

function affected(lane: Lane, settlement: Settlement, atMs: number, isAmbiguous = false): Lane {
  const { kind, sequence, outcome } = settlement;
  if (outcome === 'accepted') {
    if (kind === 'end') return over(lane, atMs);
    // What is older than what the phone has must never follow it.
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
  // It was not even begun, and is over.
  return kind === 'start' ? over(lane, atMs) : lane;
}

const failureOf = ({ errorCode }: Settlement): 'refused' | 'token_lost' =>
  errorCode === tokenDead ? 'token_lost' : 'refused';

function over(lane: Lane, atMs: number): Lane {
  const left = owe({ ...lane, waiting: underWayOf(lane) }, unsentOf(lane), 'dropped', 'ended', atMs);
  return { ...left, state: 'over', token: null };
}

/** Nothing more is sent there, but for an end that takes it off the screen. */
function failed(lane: Lane, failure: 'refused' | 'token_lost', code: string | null, atMs: number): Lane {
  if (lane.state === 'over' || lane.failure === 'gone') return lane;
  const lost: Lane = { ...lane, state: 'failed', failure };
  const unsent = unsentOf(lost);
  const kept = isReachable(lost) ? unsent.filter(({ kind }) => kind === 'end') : [];
  const refused = unsent.filter((one) => !kept.includes(one));
  const left = owe({ ...lost, waiting: [...underWayOf(lost), ...kept] }, refused, 'failed', code, atMs);
  return left.isEnded && left.waiting.length === 0 ? { ...left, state: 'over', token: null } : left;
}

// ---------------------------------------------------------------------------------------------- what is done

export interface Turn {
  readonly lane: Lane;
  /** What is to be sent now, with the timestamp that it carries. */
  readonly send: { readonly operation: Operation; readonly timestamp: number } | null;
}

/** Takes what is to be sent now; it is under way from then on. */
export function take(lane: Lane, nowMs: number): Turn {
  const aged = ageing(lane, nowMs);
  const [first, ...rest] = aged.waiting;
  if (!first || aged.isUnderWay || !isSendable(aged, first) || readyAt(aged, first) > nowMs)
    return { lane: aged, send: null };
  const thisSecond = Math.floor(nowMs / second);
  const timestamp = Math.max(
    thisSecond,
    aged.timestamp + 1,
    aged.isRemade ? thisSecond + aheadSeconds + 2 : 0,
  );
  // A clock that was set back keeps nobody waiting until it has caught up.
  const paced = timestamp > thisSecond + aheadSeconds + 2 ? thisSecond : timestamp;
  const tried: Operation = { ...first, wasTried: true };
  return {
    lane: {
      ...aged,
      waiting: [tried, ...rest],
      isUnderWay: true,
      mayShow: aged.mayShow || first.kind === 'start',
      held: null,
      timestamp,
      pacedUntilMs: (paced + 1) * second,
      isRemade: false,
    },
    send: { operation: tried, timestamp },
  };
}

/** Does what time alone does. */
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

/** It was not sent, or nobody knows: it waits for another try. */
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

/** Who had it in hand is gone: what was under way may have been sent, and is tried again. */
export const released = (lane: Lane, atMs: number): Lane => rests({ ...lane, isUnderWay: false }, atMs);

function rests(lane: Lane, atMs: number): Lane {
  // The device is back: nothing is to be taken off it.
  if (lane.waiting[0]?.isFarewell) return lane.failure === 'gone' ? lane : farewellDone(lane);
  return collapsed(started(rid(lane, atMs), atMs), atMs);
}

/** The provider does not take updates at this token any more. They wait for the next one. */
export function tokenDied(lane: Lane, hash: string, atMs: number): Lane {
  const [first] = lane.waiting;
  const resting: Lane = { ...lane, isUnderWay: false, progress: rested, retryAtMs: 0 };
  if (first?.isFarewell) return farewellDone(resting);
  if (lane.token?.hash !== hash) return rests(resting, atMs);
  return rests({ ...resting, token: null, tokenLostAtMs: atMs }, atMs);
}

/** The phone was told to take it away, or cannot be told. */
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

/** When the lane is to be looked at next; null when something has to come first. */
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

// ------------------------------------------------------------------------------------------------- in common

/** An iPhone takes only a start without its update token. */
const isSendable = (lane: Lane, { kind }: Operation): boolean =>
  kind === 'start' || lane.platform === 'android' || lane.token !== null;

const isReachable = (lane: Lane): boolean =>
  lane.mayShow && (lane.platform === 'android' || lane.token !== null);

function readyAt({ pacedUntilMs, retryAtMs }: Lane, { kind, isRoutine, notBeforeMs }: Operation): number {
  const ownSecond = kind === 'update' ? pacedUntilMs - (isRoutine ? 0 : aheadSeconds * second) : 0;
  return Math.max(retryAtMs, notBeforeMs, ownSecond);
}

/** After the clock was set back. */
export const repaced = (lane: Lane): Lane => ({ ...lane, pacedUntilMs: 0 });

/** Nothing is paced for longer than this. */
export const longestPaceMs = (aheadSeconds + 4) * second;

const underWayOf = ({ waiting, isUnderWay }: Lane): Operation[] => (isUnderWay ? waiting.slice(0, 1) : []);
const unsentOf = ({ waiting, isUnderWay }: Lane): readonly Operation[] =>
  isUnderWay ? waiting.slice(1) : waiting;

/** The newest routine content takes the place of an unsent one before it; all else keeps its place. */
function collapsed(lane: Lane, atMs: number): Lane {
  const from = lane.isUnderWay ? 1 : 0;
  const stale = lane.waiting.filter((one, index) => {
    const next = lane.waiting[index + 1];
    return index >= from && one.isRoutine && next?.isRoutine === true;
  });
  return stale.reduce(
    (left, one) =>
      owe(
        { ...left, waiting: left.waiting.filter((other) => other !== one) },
        [one],
        'superseded',
        null,
        atMs,
        lane.waiting[lane.waiting.indexOf(one) + 1]!.sequence,
      ),
    lane,
  );
}

function bounded(lane: Lane, atMs: number): Lane {
  if (lane.waiting.length <= mostWaiting) return lane;
  const oldest = unsentOf(lane).find(({ kind }) => kind === 'update')!;
  const left: Lane = { ...lane, waiting: lane.waiting.filter((one) => one !== oldest) };
  return owe(left, [oldest], 'superseded', null, atMs, lane.latest.sequence);
}

const codeOf = ({ failure }: Lane): string => (failure === 'gone' ? 'device_gone' : 'instance_failed');

/** Settles operations here; the log is told later. */
function owe(
  lane: Lane,
  operations: readonly Operation[],
  outcome: LaneOutcome,
  errorCode: string | null,
  atMs: number,
  by: number | null = null,
): Lane {
  const told = operations.filter(({ isFarewell }) => !isFarewell);
  if (told.length === 0) return lane;
  const counted = told.reduce((left, one) => noted(left, one, outcome, by), lane);
  return {
    ...counted,
    owed: [
      ...lane.owed,
      ...told.map(({ kind, sequence, round }) => ({ kind, sequence, round, outcome, errorCode })),
    ],
    owedSinceMs: lane.owed.length === 0 ? atMs : lane.owedSinceMs,
  };
}

function noted(
  lane: Lane,
  { kind, sequence, round }: OperationKey,
  outcome: LaneOutcome,
  by: number | null,
): Lane {
  return {
    ...lane,
    settled: [...lane.settled, { kind, sequence, round, outcome, by }].slice(-mostSettled),
    counts: { ...lane.counts, [outcome]: lane.counts[outcome] + 1 },
  };
}

function recounted(lane: Lane, owed: Settlement, outcome: LaneOutcome): Lane {
  const { counts } = lane;
  return {
    ...lane,
    settled: lane.settled.map((one) => (isSame(one, owed) ? { ...one, outcome, by: null } : one)),
    counts: { ...counts, [owed.outcome]: counts[owed.outcome] - 1, [outcome]: counts[outcome] + 1 },
  };
}

// ------------------------------------------------------------------------------------------------- what shows

/** What became of the change with this sequence; undefined when it is not one of this lane's. */
export function standingOf(lane: Lane, sequence: number): LaneOutcome | 'queued' | undefined {
  if (lane.waiting.some((one) => one.sequence === sequence && !one.isFarewell)) return 'queued';
  return lane.settled.findLast((one) => one.sequence === sequence)?.outcome;
}

/** How many routine ones that change has taken the place of. */
export const supersededBy = (lane: Lane, sequence: number): number =>
  lane.settled.filter(({ by }) => by === sequence).length;

export const isStartQueued = (lane: Lane): boolean => lane.waiting.some(({ kind }) => kind === 'start');

/** When a queued start is made, as far as is known. */
export function nextStartAt(lane: Lane): number | null {
  const start = lane.waiting.find(({ kind }) => kind === 'start');
  return start ? Math.max(start.notBeforeMs, lane.retryAtMs) : null;
}

export const isAwaitingToken = (lane: Lane): boolean =>
  lane.platform === 'ios' && lane.state === 'started' && lane.token === null;

export const isReady = (lane: Lane): boolean =>
  lane.state === 'started' && !isStartQueued(lane) && !isAwaitingToken(lane);

/** The update token is late. */
export const isTokenDelayed = (lane: Lane, nowMs: number): boolean =>
  isAwaitingToken(lane) && nowMs >= (lane.tokenLostAtMs ?? lane.startedAtMs ?? nowMs) + tokenPatienceMs;
