import { isAfter } from './instant';
import { type Decider, type Decision, Refused } from './decider';
import { type Instant, millis } from './instant';

/** One of a kind that takes up room of its account. */
export interface Place {
  readonly id: string;
  readonly takenAt: Instant;
  /** From then on it takes none by itself; null for never. */
  readonly until: Instant | null;
}

/** Stream `<kind>_room-<account id>`: which ones of a kind an account has room for. */
export type RoomEvent = RoomCounted | RoomTaken | RoomReleased;

/** These take room, and nothing else does, whatever the stream said before. */
export interface RoomCounted {
  readonly type: 'RoomCounted';
  readonly accountId: string;
  readonly places: readonly Place[];
  readonly countedAt: Instant;
}

/** There is room for it; its creation follows. */
export interface RoomTaken {
  readonly type: 'RoomTaken';
  readonly accountId: string;
  readonly id: string;
  readonly until: Instant | null;
  readonly takenAt: Instant;
}

/** It is over. */
export interface RoomReleased {
  readonly type: 'RoomReleased';
  readonly accountId: string;
  readonly id: string;
  readonly releasedAt: Instant;
}

/** Null before it was counted for the first time. */
export type RoomState = Room | null;

export interface Room {
  readonly places: readonly Place[];
  /** How many events have followed the newest count. */
  readonly trail: number;
}

/** A count takes the place of so many events; those before it say nothing any more. */
export const maxTrail = 500;

/** What was given room and is not there after this time will not come. Far longer than any request may take. */
const graceMs = 60_000;

/**
 * "At most so many of a kind per account", decided in one stream per account, so that it is exact whoever asks at once
 * and on however many replicas. Before one is created its id takes room; when it is over it gives it back. Whoever
 * dies in between leaves room taken by nothing, which is found when somebody would be refused.
 */
export const roomFor = (kind: string): Decider<RoomState, RoomEvent> => ({
  category: `${kind}_room`,
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'RoomCounted':
        return { places: event.places, trail: 0 };
      case 'RoomTaken': {
        const { id, takenAt, until } = event;
        const others = state?.places.filter((place) => place.id !== id) ?? [];
        return state && { places: [...others, { id, takenAt, until }], trail: state.trail + 1 };
      }
      case 'RoomReleased':
        return state && { places: state.places.filter(({ id }) => id !== event.id), trail: state.trail + 1 };
    }
  },
});

export interface Taking {
  readonly accountId: string;
  readonly id: string;
  readonly until: Instant | null;
  readonly max: number;
  /** Those that the account had before anybody counted; looked at for its first count only. */
  readonly before: readonly Place[];
  /** Those that were looked for and are not there. */
  readonly missing: readonly string[];
  /** What has room already takes it once more, so that who is about to give it back sees that it is needed. */
  readonly renews?: boolean;
  readonly at: Instant;
}

/** Finds room for one more; none is taken for one that has it already. Refused `resource.limit_reached`. */
export const takeRoom: Decision<RoomState, RoomEvent, Taking> =
  ({ accountId, id, until, max, before, missing, renews = false, at }) =>
  (state) => {
    const places = state?.places ?? before;
    if (state && !renews && places.some((place) => place.id === id)) return [];
    const lost = new Set(lostOf(places, missing, at));
    const left = places.filter(
      (place) => place.id !== id && !lost.has(place.id) && (place.until === null || isAfter(place.until, at)),
    );
    if (left.length >= max) throw new Refused('resource.limit_reached', { limit: max });
    const counts = !state || lost.size > 0 || state.trail >= maxTrail;
    return [
      ...(counts ? [{ type: 'RoomCounted', accountId, places: left, countedAt: at } as const] : []),
      { type: 'RoomTaken', accountId, id, until, takenAt: at },
    ];
  };

/** Gives back the room of one that is over. What was never counted, or has none, has nothing to give. */
export const releaseRoom: Decision<
  RoomState,
  RoomEvent,
  { readonly accountId: string; readonly id: string; readonly at: Instant }
> =
  ({ accountId, id, at }) =>
  (state) =>
    state?.places.some((place) => place.id === id)
      ? [{ type: 'RoomReleased', accountId, id, releasedAt: at }]
      : [];

/** Those of the missing that will not come any more; the others may still be in the making. */
export const lostOf = (
  places: readonly Pick<Place, 'id' | 'takenAt'>[],
  missing: readonly string[],
  at: Instant,
): readonly string[] =>
  places
    .filter(({ id, takenAt }) => missing.includes(id) && millis(at) - millis(takenAt) >= graceMs)
    .map(({ id }) => id);
