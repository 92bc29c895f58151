import { plus } from '@carillon/eventing';
import fc from 'fast-check';
import { granted, type Grants, hasBudget } from './budget';

const at = '2026-11-20T09:00:00.000Z';

/** Requests high-priority updates at these milliseconds after the start; returns the granted ones. */
function asking(offsets: readonly number[]): boolean[] {
  let grants: Grants = [];
  return offsets.map((offset) => {
    const now = plus(at, offset);
    const given = hasBudget(grants, now);
    if (given) grants = granted(grants, now);
    return given;
  });
}

const seconds = (count: number): number => count * 1000;

describe('the budget of high-priority updates', () => {
  it('grants four within a minute', () =>
    expect(asking([0, 1, 2, 3, 4, seconds(59)])).toEqual([true, true, true, true, false, false]));
  it('grants again a minute after the first, to the millisecond', () => {
    expect(asking([0, 1, 2, 3, 59_999])).toEqual([true, true, true, true, false]);
    expect(asking([0, 1, 2, 3, 60_000, 60_000])).toEqual([true, true, true, true, true, false]);
  });
  it('grants twenty within an hour, and again an hour after the first', () => {
    const spread = Array.from({ length: 20 }, (_, index) => seconds(index * 20));
    expect(asking([...spread, seconds(3_599)])).toEqual([...spread.map(() => true), false]);
    expect(asking([...spread, seconds(3_600), seconds(3_600)])).toEqual([
      ...spread.map(() => true),
      true,
      false,
    ]);
  });
  it('is not used by refused updates', () =>
    expect(asking([0, 0, 0, 0, ...Array.from({ length: 100 }, () => 30_000), 60_000])).toEqual([
      true,
      true,
      true,
      true,
      ...Array.from({ length: 100 }, () => false),
      true,
    ]));
  it('counts grants of a replica whose clock runs ahead', () => {
    const ahead = [1, 2, 3, 4].map((index) => plus(at, index * 1000));
    expect(hasBudget(ahead, at)).toBe(false);
  });
  it('remembers no more than an hour of grants', () => {
    let grants: Grants = [];
    for (let minute = 0; minute < 600; minute += 1) {
      const now = plus(at, minute * 180_000);
      expect(hasBudget(grants, now)).toBe(true);
      grants = granted(grants, now);
      expect(grants.length).toBeLessThanOrEqual(20);
    }
  });

  it('respects both windows exactly, wherever they start', () => {
    const gaps = fc.array(
      fc.oneof(
        fc.constantFrom(0, 1, 14_999, 15_000, 15_001, 59_999, 60_000, 60_001),
        fc.integer({ min: 0, max: 200_000 }),
      ),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(gaps, (between) => {
        let now = 0;
        const offsets = between.map((gap) => (now += gap));
        const answers = asking(offsets);
        const grantedAt = offsets.filter((_, index) => answers[index]);
        const within = (end: number, length: number, upTo: number): number =>
          grantedAt.filter((offset, index) => index < upTo && offset > end - length && offset <= end).length;
        let before = 0;
        offsets.forEach((offset, index) => {
          const available = within(offset, 60_000, before) < 4 && within(offset, 3_600_000, before) < 20;
          // Granted exactly when the full count of earlier grants leaves budget in every window.
          expect(answers[index]).toBe(available);
          if (answers[index]) before += 1;
        });
      }),
      { numRuns: 300 },
    );
  });
});
