import fc from 'fast-check';
import { instant, millis, plus } from '@carillon/eventing';
import { coverageOf, horizon } from './coverage';
import { explain } from './explanation';
import { handoff, type RotationSchedule, turnAt } from './rotation';
import { type Override, shiftAt, shiftsIn, turnsIn, upcomingAfter } from './shifts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const rotation: RotationSchedule = {
  accountIds: ['usr_ann', 'usr_ben'],
  period: 'daily',
  handoffAt: '09:00',
  timezone: 'Europe/Berlin',
  anchor: '2026-11-01',
};
const override = (overrideId: string, startsAt: string, endsAt: string): Override => ({
  overrideId,
  accountId: 'usr_eve',
  startsAt,
  endsAt,
});
const at = '2026-11-22T12:00:00.000Z';
const schedule = (...overrides: Override[]) => ({ rotation, overrides });

/** Windows that do not overlap, from a list of lengths and pauses in hours. */
const apart = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 60 })), { maxLength: 8 })
  .map((parts) => {
    let from = Date.parse(at);
    return parts.map(([pause, length], index) => {
      const startsAt = from + pause * hourMs;
      from = startsAt + length * hourMs;
      return override(`ovr_${index}`, instant(startsAt), instant(from));
    });
  });

describe('the shifts of a window', () => {
  const window = { startsAt: at, endsAt: plus(at, 15 * dayMs) };

  it('follow each other without a gap, whatever is overridden', () =>
    fc.assert(
      fc.property(apart, (overrides) => {
        const shifts = shiftsIn({ rotation, overrides }, window);
        for (const [index, shift] of shifts.entries())
          if (index > 0) expect(shift.startsAt).toBe(shifts[index - 1]?.endsAt);
        expect(shifts[0]!.startsAt <= window.startsAt && shifts.at(-1)!.endsAt >= window.endsAt).toBe(true);
      }),
    ));

  it('are cut by an override exactly, and are as before without it', () =>
    fc.assert(
      fc.property(apart, fc.nat(15 * 24), (overrides, hours) => {
        const when = plus(at, hours * hourMs);
        const over = overrides.find(({ startsAt, endsAt }) => startsAt <= when && when < endsAt);
        const found = shiftAt({ rotation, overrides }, when);
        if (over) expect(found).toEqual({ ...over, overrideId: over.overrideId });
        else expect(found?.accountId).toBe(shiftAt(schedule(), when)?.accountId);
      }),
    ));

  it('do not depend on the order of the overrides', () =>
    fc.assert(
      fc.property(apart, (overrides) =>
        expect(shiftsIn({ rotation, overrides: [...overrides].reverse() }, window)).toEqual(
          shiftsIn({ rotation, overrides }, window),
        ),
      ),
    ));

  it('take turns without passing anybody over', () => {
    const turns = shiftsIn(schedule(), window).map(({ accountId }) => accountId);
    for (const [index, accountId] of turns.entries()) expect(accountId).not.toBe(turns[index + 1]);
  });
});

describe('the shift at a time', () => {
  it('is whole, though an override far off begins it or ends it', () => {
    const before = override('ovr_1', '2026-11-22T08:00:00.000Z', '2026-11-22T10:00:00.000Z');
    const after = override('ovr_2', '2026-11-23T06:00:00.000Z', '2026-11-23T12:00:00.000Z');
    expect(shiftAt(schedule(before, after), at)).toEqual({
      accountId: 'usr_ben',
      overrideId: null,
      startsAt: before.endsAt,
      endsAt: after.startsAt,
    });
  });
  it('begins at its first millisecond and not at its last', () => {
    const over = override('ovr_1', at, plus(at, 1_000));
    expect(shiftAt(schedule(over), at)?.overrideId).toBe('ovr_1');
    expect(shiftAt(schedule(over), over.endsAt)?.overrideId).toBeNull();
  });
  it('is nobody’s before the first turn, except during an override', () => {
    const early = '2026-10-31T12:00:00.000Z';
    expect(shiftAt(schedule(), early)).toBeNull();
    expect(shiftAt(schedule(override('ovr_1', early, plus(early, 1))), early)?.accountId).toBe('usr_eve');
  });
});

describe('what is upcoming', () => {
  it('are ten shifts, of which the first is the next', () => {
    const next = upcomingAfter(schedule(), at);
    expect(next).toHaveLength(10);
    expect(next[0]).toMatchObject({ startsAt: '2026-11-23T08:00:00.000Z', accountId: 'usr_ann' });
  });
  it('are those of 60 days', () =>
    expect(upcomingAfter({ rotation: { ...rotation, period: 'weekly' }, overrides: [] }, at)).toHaveLength(
      8,
    ));
  it('is nothing when nobody is left', () =>
    expect(upcomingAfter({ rotation: { ...rotation, accountIds: [] }, overrides: [] }, at)).toEqual([]));
});

describe('coverage', () => {
  it('has no gap while somebody takes turns', () =>
    expect(coverageOf(schedule(), horizon(at))).toEqual({ gaps: [], overlaps: [] }));
  it('has a gap before the first turn', () =>
    expect(
      coverageOf({ rotation: { ...rotation, anchor: '2026-12-01' }, overrides: [] }, horizon(at)).gaps,
    ).toEqual([{ startsAt: at, endsAt: '2026-12-01T08:00:00.000Z' }]));
  it('is one gap without members, except for an override', () => {
    const over = override('ovr_1', plus(at, hourMs), plus(at, 2 * hourMs));
    expect(
      coverageOf({ rotation: { ...rotation, accountIds: [] }, overrides: [over] }, horizon(at)).gaps,
    ).toEqual([
      { startsAt: at, endsAt: over.startsAt },
      { startsAt: over.endsAt, endsAt: horizon(at).endsAt },
    ]);
  });
  it('tells where overrides from elsewhere overlap', () => {
    const one = override('ovr_1', at, plus(at, 3 * hourMs));
    const two = { ...override('ovr_2', plus(at, 2 * hourMs), plus(at, 5 * hourMs)), accountId: 'usr_ann' };
    expect(coverageOf(schedule(one, two), horizon(at)).overlaps).toEqual([
      { startsAt: two.startsAt, endsAt: one.endsAt, accountIds: ['usr_eve', 'usr_ann'] },
    ]);
  });
});

describe('why somebody is on call', () => {
  it('is their turn', () =>
    expect(explain(schedule(), at)).toEqual({
      at,
      accountId: 'usr_ben',
      kind: 'rotation',
      turn: 21,
      shift: { startsAt: '2026-11-22T08:00:00.000Z', endsAt: '2026-11-23T08:00:00.000Z' },
      overrideId: null,
      shiftedByMinutes: 0,
    }));
  it('is an override of a turn', () =>
    expect(explain(schedule(override('ovr_1', at, plus(at, 60_000))), at)).toMatchObject({
      accountId: 'usr_eve',
      kind: 'override',
      turn: 21,
      overrideId: 'ovr_1',
    }));
  it('is nobody before the first turn', () =>
    expect(explain(schedule(), '2026-10-01T00:00:00.000Z')).toMatchObject({
      accountId: null,
      kind: 'nobody',
      turn: null,
      shift: null,
    }));
  it('tells of the clock change that moved the handoff', () => {
    const early = { rotation: { ...rotation, anchor: '2026-03-01', handoffAt: '02:30' }, overrides: [] };
    expect(explain(early, '2026-03-29T12:00:00.000Z').shiftedByMinutes).toBe(60);
    expect(explain(early, '2026-03-29T00:50:00.000Z').shiftedByMinutes).toBe(60);
    expect(explain(early, '2026-04-02T00:50:00.000Z').shiftedByMinutes).toBe(0);
  });
});

describe('a schedule that is asked about any time of which dates can be made', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Apia', 'America/Los_Angeles'];
  const anyTime = (first: string, last: string) =>
    fc.integer({ min: Date.parse(first), max: Date.parse(last) }).map(instant);
  const anywhen = fc.oneof(
    anyTime('0001-01-01T00:00:00.000Z', '+010001-01-01T00:00:00.000Z'),
    anyTime('9999-10-01T00:00:00.000Z', '+010000-03-01T00:00:00.000Z'),
    anyTime('0001-01-01T00:00:00.000Z', '0001-03-01T00:00:00.000Z'),
    fc.constantFrom('9999-12-30T12:00:00.000Z', '9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z'),
  );
  const anySchedule = fc.record({
    rotation: fc.record({
      accountIds: fc.constantFrom([], ['usr_ann'], ['usr_ann', 'usr_ben', 'usr_cem']),
      period: fc.constantFrom('daily' as const, 'weekly' as const),
      handoffAt: fc.constantFrom('00:00', '09:00', '23:59'),
      timezone: fc.constantFrom(...zones),
      anchor: anyTime('1900-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z').map((day) => day.slice(0, 10)),
    }),
    overrides: fc
      .array(anywhen, { maxLength: 2 })
      .map((starts) =>
        starts.map((startsAt, index) => override(`ovr_${index}`, startsAt, plus(startsAt, hourMs))),
      ),
  });

  it('answers, with the turn that has begun then and shifts in their order', () =>
    fc.assert(
      fc.property(anySchedule, anywhen, (of, when) => {
        const turn = turnAt(of.rotation, when);
        expect(millis(handoff(of.rotation, turn).at)).toBeLessThanOrEqual(millis(when));
        expect(millis(handoff(of.rotation, turn + 1).at)).toBeGreaterThan(millis(when));
        expect(
          [...turnsIn(of.rotation, { startsAt: when, endsAt: plus(when, 30 * dayMs) })].length,
        ).toBeLessThan(33);
        const shift = shiftAt(of, when);
        if (shift) {
          expect(millis(shift.startsAt)).toBeLessThanOrEqual(millis(when));
          expect(millis(shift.endsAt)).toBeGreaterThan(millis(when));
        }
        expect(explain(of, when).accountId).toBe(shift?.accountId ?? null);
        const upcoming = upcomingAfter(of, when).map(({ startsAt }) => millis(startsAt));
        expect(upcoming.length).toBeLessThanOrEqual(10);
        expect(upcoming).toEqual([...upcoming].sort((one, other) => one - other));
        const { startsAt, endsAt } = horizon(when);
        for (const gap of coverageOf(of, { startsAt, endsAt }).gaps)
          expect(millis(gap.startsAt)).toBeLessThan(millis(gap.endsAt));
      }),
      { numRuns: 200 },
    ));

  it('does not stand still on the last days of 9999', () => {
    const daily = { ...rotation, timezone: 'UTC' };
    for (const when of ['9999-12-29T12:00:00.000Z', '9999-12-30T12:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
      expect(shiftAt({ rotation: daily, overrides: [] }, when)?.accountId).toBeDefined();
      expect(upcomingAfter({ rotation: daily, overrides: [] }, when)).toHaveLength(10);
    }
  });
});
