import type { ActivityPushed, Platform, PushEnvironment } from '@carillon/contracts';

/**
 * The ordered queue of one live activity's operations for one device; at most one request is under way. All times are
 * milliseconds since the Unix epoch. Plain data: a lane is stored as JSON.
 */
export interface Lane {
  readonly platform: Platform;
  /** The activity's own deadline, at which waiting operations expire. */
  readonly expiresAtMs: number;
  readonly state: 'starting' | 'started' | 'failed' | 'over';
  readonly failure: 'refused' | 'token_lost' | 'gone' | null;
  /** The activity has ended or expired: it gets no new content. */
  readonly isEnded: boolean;
  /** A start was attempted, so the phone may show the activity. */
  readonly mayShow: boolean;
  /** When the provider accepted the start. */
  readonly startedAtMs: number | null;
  /** The newest requested content. */
  readonly latest: Pick<LaneOperation, 'sequence' | 'priority'>;
  /** The token at which iOS accepts updates of the activity. */
  readonly token: UpdateToken | null;
  /** Since when iOS rejects updates at the lane's former token. */
  readonly tokenLostAtMs: number | null;
  /** Incremented when content is sent to the phone again; the first sending has 0. */
  readonly round: number;
  /** An offset added to the sequences sent to the phone, so that they increase when the activity starts there again. */
  readonly shift: number;
  /** The newest timestamp sent to the phone, in whole seconds. */
  readonly timestamp: number;
  /** A routine update waits until this time, so that it gets its own second. */
  readonly pacedUntilMs: number;
  /** The lane was rebuilt from the log, so the phone may have received a newer timestamp. */
  readonly isRemade: boolean;
  /** The unsettled operations in order. The first may be under way. */
  readonly waiting: readonly LaneOperation[];
  readonly isUnderWay: boolean;
  /** The lane is not retried before this time, because of the provider or a missing address. */
  readonly retryAtMs: number;
  /** What the next attempt waits for besides time. */
  readonly held: string | null;
  readonly progress: LaneProgress;
  /** The settled operations that are not in the log yet. */
  readonly owed: readonly Settlement[];
  readonly owedSinceMs: number;
  /** The newest settled operations, to answer requests for the outcome of a change. */
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
  /** A newer routine update supersedes the operation while it is unsent. */
  readonly isRoutine: boolean;
  readonly notBeforeMs: number;
  readonly untilMs: number;
  /** When an ended activity disappears from the screen. */
  readonly dismissAtMs: number | null;
  /** The operation may have been sent, with whatever outcome. */
  readonly wasTried: boolean;
  /**
   * The operation removes the activity from a phone that left the account; it is no operation of the activity itself.
   */
  readonly isFarewell: boolean;
}

export interface UpdateToken {
  /** A hash of the token, to distinguish tokens. */
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

/** The key of an operation within its lane. */
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

/** The progress of a lane without failures since the last success. */
export const rested: LaneProgress = { failures: 0, throttles: 0, ambiguous: false };

/**
 * Whether two keys denote one operation: a repeat may be a start or an update, depending on the known state of the
 * phone.
 */
export const isSame = (a: OperationKey, b: OperationKey): boolean =>
  a.sequence === b.sequence && a.round === b.round && (a.kind === b.kind || a.round > 0);

/** An operation with default values for the fields not given. */
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

/** Whether the operation can be sent to the phone: without its update token, an iPhone accepts only a start. */
export const isSendable = (lane: Lane, { kind }: LaneOperation): boolean =>
  kind === 'start' || lane.platform === 'android' || lane.token !== null;

/** Whether an end can be sent to remove the activity from the phone. */
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
