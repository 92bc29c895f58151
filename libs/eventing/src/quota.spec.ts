import { fold } from './decider';
import {
  maxTrail,
  type Slot,
  releaseSlot,
  quotaOf,
  type SlotsCounted,
  type QuotaEvent,
  type SlotReleased,
  type SlotReserved,
  reserveSlot,
} from './quota';

const quota = quotaOf('token');
const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';
const slot = (n: number, until: string | null = null): Slot => ({ id: `tok_${n}`, takenAt: at, until });
const counted = (slots: readonly Slot[], countedAt = at): SlotsCounted => ({
  type: 'SlotsCounted',
  accountId: 'usr_1',
  slots: slots,
  countedAt,
});
const taken = (n: number, takenAt = at, until: string | null = null): SlotReserved => ({
  type: 'SlotReserved',
  accountId: 'usr_1',
  id: `tok_${n}`,
  until,
  takenAt,
});
const released = (n: number): SlotReleased => ({
  type: 'SlotReleased',
  accountId: 'usr_1',
  id: `tok_${n}`,
  releasedAt: later,
});
const none = counted([]);
const asked = (n: number) => ({ accountId: 'usr_1', id: `tok_${n}`, at: later });
const take = (
  n: number,
  more: { before?: Slot[]; missing?: string[]; until?: string; renews?: boolean } = {},
) => reserveSlot({ ...asked(n), until: null, max: 3, before: [], missing: [], ...more });
/** The quota after these events. The kit's stories stand on this quota, so it is told without them. */
const after = (...events: QuotaEvent[]) => fold(quota, events);
const full = after(none, taken(1), taken(2), taken(3));

describe('quota', () => {
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
    expect(take(1)(after(counted([slot(1)])))).toEqual([]));
  it('ends at the most there may be', () =>
    expect(() => take(4)(full)).toThrow(
      expect.objectContaining({ reason: 'resource.limit_reached', details: { limit: 3 } }),
    ));
  it('is there again when it was released', () =>
    expect(take(4)(after(none, taken(1), taken(2), taken(3), released(2)))).toEqual([taken(4, later)]));
  it('is there again when its time is over', () =>
    expect(take(4)(after(none, taken(1), taken(2), taken(3, at, later)))).toEqual([taken(4, later)]));
  it('is filled by what was there before anybody counted', () => {
    expect(take(3, { before: [slot(1), slot(2)] })(after())).toEqual([
      counted([slot(1), slot(2)], later),
      taken(3, later),
    ]);
    expect(() => take(4, { before: [slot(1), slot(2), slot(3)] })(after())).toThrow('resource.limit_reached');
  });
  it('is not filled again by what was there before', () =>
    expect(take(4, { before: [slot(1), slot(2), slot(3)] })(after(none))).toEqual([taken(4, later)]));
  it('is taken from those that are not there', () =>
    expect(take(4, { missing: ['tok_1', 'tok_3'] })(full)).toEqual([
      counted([slot(2)], later),
      taken(4, later),
    ]));
  it('is not taken from one that may still be in the making', () =>
    expect(() => take(4, { missing: ['tok_3'] })(after(none, taken(1), taken(2), taken(3, later)))).toThrow(
      'resource.limit_reached',
    ));
  it('is counted anew when many events say nothing any more', () => {
    const trail = Array.from({ length: maxTrail / 2 }, () => [taken(9), released(9)]).flat();
    expect(take(2)(after(none, taken(1), ...trail))).toEqual([counted([slot(1)], later), taken(2, later)]);
    expect(take(2)(after(none, taken(1), ...trail, counted([slot(1)])))).toEqual([taken(2, later)]);
  });
});

describe('giving quota back', () => {
  it('is done once', () => {
    expect(releaseSlot(asked(1))(after(none, taken(1)))).toEqual([released(1)]);
    expect(releaseSlot(asked(1))(after(none, taken(1), released(1)))).toEqual([]);
  });
  it('is nothing where nobody counted', () => expect(releaseSlot(asked(1))(after())).toEqual([]));
});
