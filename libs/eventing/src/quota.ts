import { type Decider, type Decision, Refused } from './decider';
import { type Instant, isAfter, millis } from './instant';

/** A slot of an account's quota, taken by the thing with this id. */
export interface Slot {
  readonly id: string;
  readonly takenAt: Instant;
  /** The slot expires at this moment; null for never. */
  readonly until: Instant | null;
}

/** Stream `<kind>_quota-<account id>`: the things of a kind that hold a slot of an account. */
export type QuotaEvent = SlotsCounted | SlotReserved | SlotReleased;

/** The slots taken at the time of the count; replaces everything earlier in the stream. */
export interface SlotsCounted {
  readonly type: 'SlotsCounted';
  readonly accountId: string;
  readonly slots: readonly Slot[];
  readonly countedAt: Instant;
}

/** A slot is reserved for the thing; its creation follows. */
export interface SlotReserved {
  readonly type: 'SlotReserved';
  readonly accountId: string;
  readonly id: string;
  readonly until: Instant | null;
  readonly takenAt: Instant;
}

/** The thing has ended and its slot is free. */
export interface SlotReleased {
  readonly type: 'SlotReleased';
  readonly accountId: string;
  readonly id: string;
  readonly releasedAt: Instant;
}

/** Null before the first count. */
export type QuotaState = Quota | null;

export interface Quota {
  readonly slots: readonly Slot[];
  /** The number of events since the newest count. */
  readonly trail: number;
}

/** After this many events the next reservation writes a new count; the events before a count are obsolete. */
export const maxTrail = 500;

/** A thing that does not exist this long after its reservation was never created. Far above any request timeout. */
const graceMs = 60_000;

/**
 * The maximum number of things of a kind per account, decided in one stream per account, so that it is exact for
 * concurrent requests on any number of replicas. A thing reserves a slot before it is created and releases it when it
 * ends. A crash in between leaves a slot without a thing; it is detected when a reservation would be refused.
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
  personal: { SlotsCounted: [], SlotReserved: [], SlotReleased: [] },
});

export interface SlotReservation {
  readonly accountId: string;
  readonly id: string;
  readonly until: Instant | null;
  readonly max: number;
  /** The things that the account had before its first count; used for the first count only. */
  readonly before: readonly Slot[];
  /** The ids that hold a slot but were found not to exist. */
  readonly missing: readonly string[];
  /** A thing that has a slot reserves it again, so that a concurrent release sees that the slot is needed. */
  readonly renews?: boolean;
  readonly at: Instant;
}

/** Reserves a slot; does nothing for an id that has one, unless it renews. Refused `resource.limit_reached`. */
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

/** Releases the slot of a thing that has ended. Does nothing when there was no count yet or the id has no slot. */
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

/** The missing ids whose grace period is over; the others may still be being created. */
export const lostOf = (
  slots: readonly Pick<Slot, 'id' | 'takenAt'>[],
  missing: readonly string[],
  at: Instant,
): readonly string[] =>
  slots
    .filter(({ id, takenAt }) => missing.includes(id) && millis(at) - millis(takenAt) >= graceMs)
    .map(({ id }) => id);
