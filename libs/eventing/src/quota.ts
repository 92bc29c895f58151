import { isAfter } from './instant';
import { type Decider, type Decision, Refused } from './decider';
import { type Instant, millis } from './instant';

/** One of a kind that take a slot of its account. */
export interface Slot {
  readonly id: string;
  readonly takenAt: Instant;
  /** From then on it takes none by itself; null for never. */
  readonly until: Instant | null;
}

/** Stream `<kind>_quota-<account id>`: which ones of a kind an account has a slot for. */
export type QuotaEvent = SlotsCounted | SlotReserved | SlotReleased;

/** These take slot, and nothing else does, whatever the stream said before. */
export interface SlotsCounted {
  readonly type: 'SlotsCounted';
  readonly accountId: string;
  readonly slots: readonly Slot[];
  readonly countedAt: Instant;
}

/** There is slot for it; its creation follows. */
export interface SlotReserved {
  readonly type: 'SlotReserved';
  readonly accountId: string;
  readonly id: string;
  readonly until: Instant | null;
  readonly takenAt: Instant;
}

/** It is over. */
export interface SlotReleased {
  readonly type: 'SlotReleased';
  readonly accountId: string;
  readonly id: string;
  readonly releasedAt: Instant;
}

/** Null before it was counted for the first time. */
export type QuotaState = Quota | null;

export interface Quota {
  readonly slots: readonly Slot[];
  /** How many events have followed the newest count. */
  readonly trail: number;
}

/** A count takes the slot of so many events; those before it say nothing any more. */
export const maxTrail = 500;

/** What was given slot and is not there after this time will not come. Far longer than any request may take. */
const graceMs = 60_000;

/**
 * "At most so many of a kind per account", decided in one stream per account, so that it is exact whoever asks at once
 * and on however many replicas. Before one is created its id reserves a slot; when it is over it gives it back. Whoever
 * dies in between leaves slot taken by nothing, which is found when somebody would be refused.
 */
export const quotaOf = (kind: string): Decider<QuotaState, QuotaEvent> => ({
  category: `${kind}_quota`,
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'SlotsCounted':
        return { slots: event.slots, trail: 0 };
      case 'SlotReserved': {
        const { id, takenAt, until } = event;
        const others = state?.slots.filter((slot) => slot.id !== id) ?? [];
        return state && { slots: [...others, { id, takenAt, until }], trail: state.trail + 1 };
      }
      case 'SlotReleased':
        return state && { slots: state.slots.filter(({ id }) => id !== event.id), trail: state.trail + 1 };
    }
  },
});

export interface SlotReservation {
  readonly accountId: string;
  readonly id: string;
  readonly until: Instant | null;
  readonly max: number;
  /** Those that the account had before anybody counted; looked at for its first count only. */
  readonly before: readonly Slot[];
  /** Those that were looked for and are not there. */
  readonly missing: readonly string[];
  /** What has a slot already takes it once more, so that who is about to give it back sees that it is needed. */
  readonly renews?: boolean;
  readonly at: Instant;
}

/** Reserves a slot for one more; none is taken for one that has it already. Refused `resource.limit_reached`. */
export const reserveSlot: Decision<QuotaState, QuotaEvent, SlotReservation> =
  ({ accountId, id, until, max, before, missing, renews = false, at }) =>
  (state) => {
    const slots = state?.slots ?? before;
    if (state && !renews && slots.some((slot) => slot.id === id)) return [];
    const lost = new Set(lostOf(slots, missing, at));
    const left = slots.filter(
      (slot) => slot.id !== id && !lost.has(slot.id) && (slot.until === null || isAfter(slot.until, at)),
    );
    if (left.length >= max) throw new Refused('resource.limit_reached', { limit: max });
    const counts = !state || lost.size > 0 || state.trail >= maxTrail;
    return [
      ...(counts ? [{ type: 'SlotsCounted', accountId, slots: left, countedAt: at } as const] : []),
      { type: 'SlotReserved', accountId, id, until, takenAt: at },
    ];
  };

/** Releases the slot of one that is over. What was never counted, or has none, has nothing to give. */
export const releaseSlot: Decision<
  QuotaState,
  QuotaEvent,
  { readonly accountId: string; readonly id: string; readonly at: Instant }
> =
  ({ accountId, id, at }) =>
  (state) =>
    state?.slots.some((slot) => slot.id === id)
      ? [{ type: 'SlotReleased', accountId, id, releasedAt: at }]
      : [];

/** Those of the missing that will not come any more; the others may still be in the making. */
export const lostOf = (
  slots: readonly Pick<Slot, 'id' | 'takenAt'>[],
  missing: readonly string[],
  at: Instant,
): readonly string[] =>
  slots
    .filter(({ id, takenAt }) => missing.includes(id) && millis(at) - millis(takenAt) >= graceMs)
    .map(({ id }) => id);
