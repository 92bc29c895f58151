import {
  isSame,
  type Lane,
  type LaneOutcome,
  type LaneOperation,
  type OperationKey,
  type Settlement,
} from './lane';

/** The maximum number of remembered settled operations. */
const maxSettled = 40;

/** Settles operations in the lane; they are recorded in the log later. */
export function owe(
  lane: Lane,
  operations: readonly LaneOperation[],
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

/** Remembers the outcome of an operation. */
export function noted(
  lane: Lane,
  { kind, sequence, round }: OperationKey,
  outcome: LaneOutcome,
  by: number | null,
): Lane {
  return {
    ...lane,
    settled: [...lane.settled, { kind, sequence, round, outcome, by }].slice(-maxSettled),
    counts: { ...lane.counts, [outcome]: lane.counts[outcome] + 1 },
  };
}

/** Corrects the assumed outcome of an operation. */
export function recounted(lane: Lane, owed: Settlement, outcome: LaneOutcome): Lane {
  const { counts } = lane;
  return {
    ...lane,
    settled: lane.settled.map((one) => (isSame(one, owed) ? { ...one, outcome, by: null } : one)),
    counts: { ...counts, [owed.outcome]: counts[owed.outcome] - 1, [outcome]: counts[outcome] + 1 },
  };
}
