import type { ActivityAdmitted, ActivityBoardEvent, ActivityCapacityLent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isAfter, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';

/** The maximum number of activities that one device shows at once, including those of prompts. */
export const capacityPerDevice = 5;

/** An admitted activity that may still use capacity. */
export type Admission = Omit<ActivityAdmitted, 'type'>;

/** Capacity on the account's devices, lent to an activity of another account. */
export type Loan = Omit<ActivityCapacityLent, 'type'>;

/** The reserved capacity on the devices of one account. */
export interface Board {
  /** The number of events applied. */
  readonly events: number;
  /** Admissions in order, each with the number of its event. */
  readonly running: readonly Numbered<Admission>[];
  readonly loans: readonly Numbered<Loan>[];
}

type Numbered<Entry> = Entry & { readonly number: number };

export const board: Decider<Board, ActivityBoardEvent> = {
  category: 'activity_board',
  initial: { events: 0, running: [], loans: [] },
  evolve(state, event) {
    switch (event.type) {
      case 'ActivityAdmitted': {
        const { type: _type, ...admission } = event;
        // An activity past its deadline uses no capacity; it is removed here to keep the board small.
        const left = state.running.filter(
          ({ activityId, expiresAt }) =>
            activityId !== event.replacedId && isAfter(expiresAt, event.admittedAt),
        );
        return {
          events: state.events + 1,
          running: [...left, { ...admission, number: state.events }],
          loans: state.loans.filter(({ expiresAt }) => isAfter(expiresAt, event.admittedAt)),
        };
      }
      case 'ActivityReleased':
        return {
          ...state,
          events: state.events + 1,
          running: state.running.filter(({ activityId }) => activityId !== event.activityId),
        };
      case 'ActivityCapacityLent': {
        const { type: _type, ...loan } = event;
        const left = state.loans.filter(({ expiresAt }) => isAfter(expiresAt, event.lentAt));
        return { ...state, events: state.events + 1, loans: [...left, { ...loan, number: state.events }] };
      }
      case 'ActivityCapacityReturned':
        return {
          ...state,
          events: state.events + 1,
          loans: state.loans.filter(({ loanId }) => loanId !== event.loanId),
        };
    }
  },
  personal: {
    ActivityAdmitted: ['sourceName', 'props', 'prompt'],
    ActivityReleased: [],
    ActivityCapacityLent: [],
    ActivityCapacityReturned: [],
  },
};

/**
 * Finds an admission by the tail of the id alone: ids derived from one idempotency key differ in their leading time.
 */
export const admissionOf = (state: Board, activityId: string): Admission | undefined => {
  const tail = streamTail(activityId);
  return state.running.find((admission) => streamTail(admission.activityId) === tail);
};

/** The running activity with this key of a token. */
export const runningUnder = (
  state: Board,
  { tokenId, key, at }: { readonly tokenId: string; readonly key: string; readonly at: Instant },
): Admission | undefined =>
  state.running.find(
    (admission) => admission.tokenId === tokenId && admission.key === key && isAfter(admission.expiresAt, at),
  );

export interface Admitting extends Omit<Admission, 'replacedId' | 'admittedAt'> {
  /** Replaces the running activity with the same key. */
  readonly replace: boolean;
  /** The activity that the loans on other boards replace; it must be the one that this activity replaces. */
  readonly leavingId?: string | null;
  readonly at: Instant;
}

/** The activity that a new one replaces. */
export const replacedBy = (
  state: Board,
  { tokenId, key, at }: Pick<Admitting, 'tokenId' | 'key' | 'at'>,
): Admission | undefined => (key === null ? undefined : runningUnder(state, { tokenId, key, at }));

/**
 * Reserves capacity on all of the activity's devices, or on none. An activity admitted before with the same id has its
 * capacity already (ADR 15).
 */
export const admit: Decision<Board, ActivityBoardEvent, Admitting> =
  ({ replace, leavingId, at, ...asked }) =>
  (state) => {
    const before = admissionOf(state, asked.activityId);
    if (before) {
      if (before.fingerprint !== asked.fingerprint) throw new Refused('idempotency.key_reused');
      return [];
    }
    if (asked.deviceIds.length === 0) throw new Refused('activity.no_eligible_devices');
    const replaced = replacedBy(state, { ...asked, at });
    if (replaced && !replace) throw new Refused('activity.key_conflict', { activityId: replaced.activityId });
    if (leavingId !== undefined && leavingId !== (replaced?.activityId ?? null))
      throw new Refused('stream.concurrent_update');
    refuseFull(state, asked.deviceIds, at, replaced?.activityId);
    return [{ type: 'ActivityAdmitted', ...asked, replacedId: replaced?.activityId ?? null, admittedAt: at }];
  };

/** Releases the capacity of an activity that has ended. */
export const release: Decision<
  Board,
  ActivityBoardEvent,
  { readonly activityId: string; readonly accountId: string; readonly at: Instant }
> =
  ({ activityId, accountId, at }) =>
  (state) => {
    const admission = admissionOf(state, activityId);
    if (!admission) return [];
    const { loan } = admission;
    return [{ type: 'ActivityReleased', activityId, accountId, ...(loan && { loan }), releasedAt: at }];
  };

/** Refuses when one of the devices is full, as far as this board knows; a leaving activity uses no capacity. */
export function refuseFull(
  { running, loans }: Board,
  deviceIds: readonly string[],
  at: Instant,
  leavingId: string | null | undefined,
): void {
  const full = fullDevices([...running, ...loans], deviceIds, at, leavingId);
  if (full.length > 0)
    throw new Refused('activity.capacity_exceeded', { limit: capacityPerDevice, deviceIds: full });
}

function fullDevices(
  all: readonly (Admission | Loan)[],
  deviceIds: readonly string[],
  at: Instant,
  leavingId: string | null | undefined,
): string[] {
  const shown = new Map<string, number>();
  for (const { activityId, expiresAt, deviceIds: taken } of all) {
    if (!isAfter(expiresAt, at) || activityId === leavingId) continue;
    for (const deviceId of taken) shown.set(deviceId, (shown.get(deviceId) ?? 0) + 1);
  }
  return deviceIds.filter((deviceId) => (shown.get(deviceId) ?? 0) >= capacityPerDevice);
}

/** The event interval at which a board checks for obsolete events. */
const trail = 500;

/**
 * The revision before which a board with many obsolete events can be truncated: that of its oldest current entry, given
 * the revision of its newest event. Only occasionally, since truncating costs a write.
 */
export function cutOf({ events, running, loans }: Board, revision: bigint): bigint | undefined {
  const useless = Math.min(running[0]?.number ?? events - 1, loans[0]?.number ?? events - 1);
  if (events % trail !== 0 || useless < trail / 2) return undefined;
  return revision - BigInt(events - 1 - useless);
}
