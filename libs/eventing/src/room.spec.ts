import { given } from '@carillon/testkit';
import {
  longestTrail,
  type Place,
  releaseRoom,
  roomFor,
  type RoomCounted,
  type RoomReleased,
  type RoomTaken,
  takeRoom,
} from './room';

const room = roomFor('token');
const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';
const place = (n: number, until: string | null = null): Place => ({ id: `tok_${n}`, takenAt: at, until });
const counted = (places: readonly Place[], countedAt = at): RoomCounted => ({
  type: 'RoomCounted',
  accountId: 'usr_1',
  places,
  countedAt,
});
const taken = (n: number, takenAt = at, until: string | null = null): RoomTaken => ({
  type: 'RoomTaken',
  accountId: 'usr_1',
  id: `tok_${n}`,
  until,
  takenAt,
});
const released = (n: number): RoomReleased => ({
  type: 'RoomReleased',
  accountId: 'usr_1',
  id: `tok_${n}`,
  releasedAt: later,
});
const none = counted([]);
const asked = (n: number) => ({ accountId: 'usr_1', id: `tok_${n}`, at: later });
const take = (n: number, more: { before?: Place[]; missing?: string[]; until?: string } = {}) =>
  takeRoom({ ...asked(n), until: null, most: 3, before: [], missing: [], ...more });

describe('room', () => {
  it('is taken', () =>
    given(room, none)
      .when(take(1, { until: '2026-11-20T12:00:00.000Z' }))
      .then(taken(1, later, '2026-11-20T12:00:00.000Z')));
  it('is taken once', () => given(room, none, taken(1)).when(take(1)).thenNothing());
  it('is taken once also by one that was counted', () =>
    given(room, counted([place(1)]))
      .when(take(1))
      .thenNothing());
  it('ends at the most there may be', () =>
    given(room, none, taken(1), taken(2), taken(3))
      .when(take(4))
      .thenRefused('resource.limit_reached', { limit: 3 }));
  it('is there again when it was given back', () =>
    given(room, none, taken(1), taken(2), taken(3), released(2)).when(take(4)).then(taken(4, later)));
  it('is there again when its time is over', () =>
    given(room, none, taken(1), taken(2), taken(3, at, later))
      .when(take(4))
      .then(taken(4, later)));
  it('is filled by what was there before anybody counted', () => {
    given(room)
      .when(take(3, { before: [place(1), place(2)] }))
      .then(counted([place(1), place(2)], later), taken(3, later));
    given(room)
      .when(take(4, { before: [place(1), place(2), place(3)] }))
      .thenRefused('resource.limit_reached');
  });
  it('is not filled again by what was there before', () =>
    given(room, none)
      .when(take(4, { before: [place(1), place(2), place(3)] }))
      .then(taken(4, later)));
  it('is taken from those that are not there', () =>
    given(room, none, taken(1), taken(2), taken(3))
      .when(take(4, { missing: ['tok_1', 'tok_3'] }))
      .then(counted([place(2)], later), taken(4, later)));
  it('is not taken from one that may still be in the making', () =>
    given(room, none, taken(1), taken(2), taken(3, later))
      .when(take(4, { missing: ['tok_3'] }))
      .thenRefused('resource.limit_reached'));
  it('is counted anew when many events say nothing any more', () => {
    const trail = Array.from({ length: longestTrail / 2 }, () => [taken(9), released(9)]).flat();
    given(room, none, taken(1), ...trail)
      .when(take(2))
      .then(counted([place(1)], later), taken(2, later));
    given(room, none, taken(1), ...trail, counted([place(1)]))
      .when(take(2))
      .then(taken(2, later));
  });
});

describe('giving room back', () => {
  it('is done once', () => {
    given(room, none, taken(1))
      .when(releaseRoom(asked(1)))
      .then(released(1));
    given(room, none, taken(1), released(1))
      .when(releaseRoom(asked(1)))
      .thenNothing();
  });
  it('is nothing where nobody counted', () =>
    given(room)
      .when(releaseRoom(asked(1)))
      .thenNothing());
});
