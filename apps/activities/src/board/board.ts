import type { ActivityAdmitted, ActivityBoardEvent, ActivityCapacityLent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isAfter, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';

/** Activities that one device can show at once, those of prompts too. */
export const capacityPerDevice = 5;

/** An activity that was admitted and may still take capacity. */
export type Admission = Omit<ActivityAdmitted, 'type'>;

/** Capacity that the account has lent on its devices to an activity of another. */
export type Loan = Omit<ActivityCapacityLent, 'type'>;

/** What reserves capacity on the devices of one account. */
export interface Board {
  /** How many events made it. */
  readonly events: number;
  /** In the order of their admission, each with the number of the event that admitted it. */
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
        // Whoever is over by its deadline takes no capacity; it goes here, so that the board stays small.
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

/** By the tail of the id alone: an id that derives from an idempotency key has another time in front each time. */
export const admissionOf = (state: Board, activityId: string): Admission | undefined => {
  const tail = streamTail(activityId);
  return state.running.find((admission) => streamTail(admission.activityId) === tail);
};

/** The activity that runs under this key of a token. */
export const runningUnder = (
  state: Board,
  { tokenId, key, at }: { readonly tokenId: string; readonly key: string; readonly at: Instant },
): Admission | undefined =>
  state.running.find(
    (admission) => admission.tokenId === tokenId && admission.key === key && isAfter(admission.expiresAt, at),
  );

export interface Admitting extends Omit<Admission, 'replacedId' | 'admittedAt'> {
  /** Takes the place of the activity that runs under the same key. */
  readonly replace: boolean;
  /** The activity in whose place its capacity on other boards was lent; that must be the one that it replaces. */
  readonly leavingId?: string | null;
  readonly at: Instant;
}

/** The activity that it takes the place of. */
export const replacedBy = (
  state: Board,
  { tokenId, key, at }: Pick<Admitting, 'tokenId' | 'key' | 'at'>,
): Admission | undefined => (key === null ? undefined : runningUnder(state, { tokenId, key, at }));

/** Gives it capacity on all of its devices, or on none. Admitted before under the same id, it has its capacity already. */
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

/** Frees the capacity of an activity that is over. */
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

/** Refused when one of the devices is full, as far as this board knows; who leaves takes no capacity. */
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

/** How many events a board may trail that say nothing any more. */
const trail = 500;

/**
 * Where a board that trails many events can be cut: before the oldest admission that counts, given the revision of its
 * newest event. Now and then only, since it costs a write.
 */
export function cutOf({ events, running, loans }: Board, revision: bigint): bigint | undefined {
  const useless = Math.min(running[0]?.number ?? events - 1, loans[0]?.number ?? events - 1);
  if (events % trail !== 0 || useless < trail / 2) return undefined;
  return revision - BigInt(events - 1 - useless);
}
