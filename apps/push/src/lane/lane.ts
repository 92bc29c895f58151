import type { ActivityPushed, Platform, PushEnvironment } from '@carillon/contracts';

/**
 * The way of one live activity to one device. What the phone is to be told waits here in its order; one request is
 * under way at most. All times are milliseconds since the Unix epoch. Plain data: it is kept as JSON.
 */
export interface Lane {
  readonly platform: Platform;
  /** The activity's own deadline: operations that wait die then. */
  readonly expiresAtMs: number;
  readonly state: 'starting' | 'started' | 'failed' | 'over';
  readonly failure: 'refused' | 'token_lost' | 'gone' | null;
  /** The activity has ended or expired: nothing new comes. */
  readonly isEnded: boolean;
  /** A start was tried, so that the phone may show the activity. */
  readonly mayShow: boolean;
  /** When the provider accepted the start. */
  readonly startedAtMs: number | null;
  /** The newest content that was asked for. */
  readonly latest: Pick<LaneOperation, 'sequence' | 'priority'>;
  /** The update token at which iOS takes updates of the activity. */
  readonly token: UpdateToken | null;
  /** Since when iOS takes no more updates at the token that the lane had. */
  readonly tokenLostAtMs: number | null;
  /** Grows when the phone is told again what it was told before; what is told first has 0. */
  readonly round: number;
  /** What is added to the sequences on the phone, so that they grow when the activity starts there again. */
  readonly shift: number;
  /** The newest timestamp that the phone was sent, in whole seconds. */
  readonly timestamp: number;
  /** An operation that only shows progress waits until then, for a second of its own. */
  readonly pacedUntilMs: number;
  /** The lane was made again from the log, so that the phone may have been sent a newer timestamp. */
  readonly isRemade: boolean;
  /** The operations that are not settled, in their order. The first may be under way. */
  readonly waiting: readonly LaneOperation[];
  readonly isUnderWay: boolean;
  /** The lane is not tried again before: the provider, or a missing address, lets nothing through. */
  readonly retryAtMs: number;
  /** What the next try waits for, when it is not time alone. */
  readonly held: string | null;
  readonly progress: LaneProgress;
  /** The operations that are settled here and not in the log yet. */
  readonly owed: readonly Settlement[];
  readonly owedSinceMs: number;
  /** The newest settled operations, for who asks what became of a change. */
  readonly settled: readonly SettledOperation[];
  readonly counts: Counts;
}

export interface LaneOperation {
  readonly kind: 'start' | 'update' | 'end';
  readonly sequence: number;
  readonly round: number;
  /** The sequence of the change whose content the operation carries. */
  readonly shows: number;
  readonly priority: 5 | 10;
  /** The operation gives way to a newer routine update while it is unsent. */
  readonly isRoutine: boolean;
  readonly notBeforeMs: number;
  readonly untilMs: number;
  /** When an ended activity leaves the screen. */
  readonly dismissAtMs: number | null;
  /** The operation may have been sent, whatever became of it. */
  readonly wasTried: boolean;
  /** The operation takes the activity off a phone that is no longer the account's; it is none of the activity's own. */
  readonly isFarewell: boolean;
}

export interface UpdateToken {
  /** A hash of the token, by which tokens are told apart. */
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

/** What names an operation within its lane. */
export type OperationKey = Pick<LaneOperation, 'kind' | 'sequence' | 'round'>;

export interface Settlement extends OperationKey {
  readonly outcome: LaneOutcome;
  readonly errorCode: string | null;
}

export interface SettledOperation extends OperationKey {
  readonly outcome: LaneOutcome;
  /** The sequence of the change that replaced the operation. */
  readonly by: number | null;
}

export type Counts = Readonly<Record<LaneOutcome, number>>;

/** The progress of a lane in which nothing went wrong since the last success. */
export const rested: LaneProgress = { failures: 0, throttles: 0, ambiguous: false };

/** Whether two operations are one: a repeat may be a start or an update, as was known of the phone. */
export const isSame = (a: OperationKey, b: OperationKey): boolean =>
  a.sequence === b.sequence && a.round === b.round && (a.kind === b.kind || a.round > 0);

/** An operation with what most operations have. */
export const operation = (
  given: Pick<LaneOperation, 'kind' | 'sequence' | 'priority' | 'untilMs' | 'round'> & Partial<LaneOperation>,
): LaneOperation => ({
  shows: given.sequence,
  isRoutine: false,
  notBeforeMs: 0,
  dismissAtMs: null,
  wasTried: false,
  isFarewell: false,
  ...given,
});

/** Whether the phone can take the operation: without its update token, an iPhone takes only a start. */
export const isSendable = (lane: Lane, { kind }: LaneOperation): boolean =>
  kind === 'start' || lane.platform === 'android' || lane.token !== null;

/** Whether the phone can be told to take the activity away. */
export const isReachable = (lane: Lane): boolean =>
  lane.mayShow && (lane.platform === 'android' || lane.token !== null);

/** The operation that is under way, in a list. */
export const underWayOf = ({ waiting, isUnderWay }: Lane): LaneOperation[] =>
  isUnderWay ? waiting.slice(0, 1) : [];

/** The operations that are not under way. */
export const unsentOf = ({ waiting, isUnderWay }: Lane): readonly LaneOperation[] =>
  isUnderWay ? waiting.slice(1) : waiting;

/** Why operations fail in a lane that has failed. */
export const codeOf = ({ failure }: Lane): string => (failure === 'gone' ? 'device_gone' : 'instance_failed');
