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
  slots,
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
/** The quota after these events. The test kit depends on this quota, so this spec does without the kit. */
const after = (...events: QuotaEvent[]) => fold(quota, events);
const full = after(none, taken(1), taken(2), taken(3));

describe('quota', () => {
  it('reserves a slot', () =>
    expect(take(1, { until: '2026-11-20T12:00:00.000Z' })(after(none))).toEqual([
      taken(1, later, '2026-11-20T12:00:00.000Z'),
    ]));
  it('reserves one slot per id', () => expect(take(1)(after(none, taken(1)))).toEqual([]));
  it('reserves the slot again for an id that renews, and still counts it once', () =>
    expect(take(1, { renews: true })(after(none, taken(1), taken(2), taken(3), taken(1)))).toEqual([
      taken(1, later),
    ]));
  it('reserves no second slot for a counted id', () =>
    expect(take(1)(after(counted([slot(1)])))).toEqual([]));
  it('refuses above the maximum', () =>
    expect(() => take(4)(full)).toThrow(
      expect.objectContaining({ reason: 'resource.limit_reached', details: { limit: 3 } }),
    ));
  it('reuses a released slot', () =>
    expect(take(4)(after(none, taken(1), taken(2), taken(3), released(2)))).toEqual([taken(4, later)]));
  it('reuses an expired slot', () =>
    expect(take(4)(after(none, taken(1), taken(2), taken(3, at, later)))).toEqual([taken(4, later)]));
  it('counts the things that existed before the first count', () => {
    expect(take(3, { before: [slot(1), slot(2)] })(after())).toEqual([
      counted([slot(1), slot(2)], later),
      taken(3, later),
    ]);
    expect(() => take(4, { before: [slot(1), slot(2), slot(3)] })(after())).toThrow('resource.limit_reached');
  });
  it('counts those things only once', () =>
    expect(take(4, { before: [slot(1), slot(2), slot(3)] })(after(none))).toEqual([taken(4, later)]));
  it('reuses the slots of things that do not exist', () =>
    expect(take(4, { missing: ['tok_1', 'tok_3'] })(full)).toEqual([
      counted([slot(2)], later),
      taken(4, later),
    ]));
  it('keeps the slot of a thing that may still be being created', () =>
    expect(() => take(4, { missing: ['tok_3'] })(after(none, taken(1), taken(2), taken(3, later)))).toThrow(
      'resource.limit_reached',
    ));
  it('writes a new count after the maximum number of events', () => {
    const trail = Array.from({ length: maxTrail / 2 }, () => [taken(9), released(9)]).flat();
    expect(take(2)(after(none, taken(1), ...trail))).toEqual([counted([slot(1)], later), taken(2, later)]);
    expect(take(2)(after(none, taken(1), ...trail, counted([slot(1)])))).toEqual([taken(2, later)]);
  });
});

describe('releasing a slot', () => {
  it('happens once', () => {
    expect(releaseSlot(asked(1))(after(none, taken(1)))).toEqual([released(1)]);
    expect(releaseSlot(asked(1))(after(none, taken(1), released(1)))).toEqual([]);
  });
  it('does nothing before the first count', () => expect(releaseSlot(asked(1))(after())).toEqual([]));
});
