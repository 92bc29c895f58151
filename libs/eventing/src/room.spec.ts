import { fold } from './decider';
import {
  maxTrail,
  type Place,
  releaseRoom,
  roomFor,
  type RoomCounted,
  type RoomEvent,
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
const take = (
  n: number,
  more: { before?: Place[]; missing?: string[]; until?: string; renews?: boolean } = {},
) => takeRoom({ ...asked(n), until: null, max: 3, before: [], missing: [], ...more });
/** The room after these events. The kit's stories stand on this room, so it is told without them. */
const after = (...events: RoomEvent[]) => fold(room, events);
const full = after(none, taken(1), taken(2), taken(3));

describe('room', () => {
  it('is taken', () =>
    expect(take(1, { until: '2026-11-20T12:00:00.000Z' })(after(none))).toEqual([
      taken(1, later, '2026-11-20T12:00:00.000Z'),
    ]));
  it('is taken once', () => expect(take(1)(after(none, taken(1)))).toEqual([]));
  it('is taken anew by what renews it, and is still one', () =>
    expect(take(1, { renews: true })(after(none, taken(1), taken(2), taken(3), taken(1)))).toEqual([
      taken(1, later),
    ]));
  it('is taken once also by one that was counted', () =>
    expect(take(1)(after(counted([place(1)])))).toEqual([]));
  it('ends at the most there may be', () =>
    expect(() => take(4)(full)).toThrow(
      expect.objectContaining({ reason: 'resource.limit_reached', details: { limit: 3 } }),
    ));
  it('is there again when it was given back', () =>
    expect(take(4)(after(none, taken(1), taken(2), taken(3), released(2)))).toEqual([taken(4, later)]));
  it('is there again when its time is over', () =>
    expect(take(4)(after(none, taken(1), taken(2), taken(3, at, later)))).toEqual([taken(4, later)]));
  it('is filled by what was there before anybody counted', () => {
    expect(take(3, { before: [place(1), place(2)] })(after())).toEqual([
      counted([place(1), place(2)], later),
      taken(3, later),
    ]);
    expect(() => take(4, { before: [place(1), place(2), place(3)] })(after())).toThrow(
      'resource.limit_reached',
    );
  });
  it('is not filled again by what was there before', () =>
    expect(take(4, { before: [place(1), place(2), place(3)] })(after(none))).toEqual([taken(4, later)]));
  it('is taken from those that are not there', () =>
    expect(take(4, { missing: ['tok_1', 'tok_3'] })(full)).toEqual([
      counted([place(2)], later),
      taken(4, later),
    ]));
  it('is not taken from one that may still be in the making', () =>
    expect(() => take(4, { missing: ['tok_3'] })(after(none, taken(1), taken(2), taken(3, later)))).toThrow(
      'resource.limit_reached',
    ));
  it('is counted anew when many events say nothing any more', () => {
    const trail = Array.from({ length: maxTrail / 2 }, () => [taken(9), released(9)]).flat();
    expect(take(2)(after(none, taken(1), ...trail))).toEqual([counted([place(1)], later), taken(2, later)]);
    expect(take(2)(after(none, taken(1), ...trail, counted([place(1)])))).toEqual([taken(2, later)]);
  });
});

describe('giving room back', () => {
  it('is done once', () => {
    expect(releaseRoom(asked(1))(after(none, taken(1)))).toEqual([released(1)]);
    expect(releaseRoom(asked(1))(after(none, taken(1), released(1)))).toEqual([]);
  });
  it('is nothing where nobody counted', () => expect(releaseRoom(asked(1))(after())).toEqual([]));
});
