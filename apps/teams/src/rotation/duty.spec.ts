import { type Instant, plus } from '@carillon/eventing';
import fc from 'fast-check';
import { type ChangedSchedule, dutyAt } from './duty';
import type { RotationSchedule } from './rotation';
import { type Override, shiftAt } from './shifts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const rotation: RotationSchedule = {
  accountIds: ['usr_ann', 'usr_ben'],
  period: 'daily',
  handoffAt: '09:00',
  timezone: 'UTC',
  anchor: '2026-11-20',
};
const schedule = (
  said: Partial<RotationSchedule> = {},
  overrides: readonly Override[] = [],
  handedOverAt: Instant | null = null,
): ChangedSchedule => ({ rotation: { ...rotation, ...said }, overrides, handedOverAt });
const override = (accountId: string, startsAt: Instant, endsAt: Instant): Override => ({
  overrideId: `ovr_${startsAt}`,
  accountId,
  startsAt,
  endsAt,
});
const on = (day: number, time: string): Instant => `2026-11-${day}T${time}:00.000Z`;

describe('who is on call, and until when', () => {
  it('is the member of the turn, from one handoff to the next', () => {
    const ann = { accountId: 'usr_ann', since: on(20, '09:00'), until: on(21, '09:00') };
    expect(dutyAt(schedule(), on(20, '09:00'))).toEqual(ann);
    expect(dutyAt(schedule(), on(21, '08:59'))).toEqual(ann);
    expect(dutyAt(schedule(), on(21, '09:00'))).toMatchObject({
      accountId: 'usr_ben',
      since: on(21, '09:00'),
    });
  });

  it('never changes in a rotation of one member', () =>
    expect(dutyAt(schedule({ accountIds: ['usr_ann'] }), on(25, '09:00'))).toMatchObject({
      accountId: 'usr_ann',
      until: null,
    }));

  it('changes with an override, and back', () => {
    const over = schedule({}, [override('usr_eve', on(20, '12:00'), on(20, '14:00'))]);
    expect(dutyAt(over, on(20, '11:00'))).toMatchObject({ accountId: 'usr_ann', until: on(20, '12:00') });
    const eve = { accountId: 'usr_eve', since: on(20, '12:00'), until: on(20, '14:00') };
    expect(dutyAt(over, on(20, '13:59'))).toEqual(eve);
    const back = { accountId: 'usr_ann', since: on(20, '14:00'), until: on(21, '09:00') };
    expect(dutyAt(over, on(20, '14:30'))).toEqual(back);
  });

  it('does not change where an override is of the member whose turn it is, or the next one', () => {
    const own = schedule({}, [override('usr_ann', on(20, '12:00'), on(20, '14:00'))]);
    const ann = { accountId: 'usr_ann', until: on(21, '09:00') };
    expect(dutyAt(own, on(20, '12:00'))).toMatchObject(ann);
    expect(dutyAt(own, on(20, '14:00'))).toMatchObject(ann);
    const early = schedule({}, [override('usr_ben', on(21, '08:30'), on(21, '09:00'))]);
    const ben = { accountId: 'usr_ben', since: on(21, '08:30'), until: on(22, '09:00') };
    expect(dutyAt(early, on(21, '08:45'))).toEqual(ben);
    expect(dutyAt(early, on(21, '09:15'))).toEqual(ben);
  });

  it('is at the handoff of the day on which the clock leaves it out or has it twice', () => {
    const berlin = { timezone: 'Europe/Berlin', handoffAt: '02:30', anchor: '2026-03-27' };
    const spring = dutyAt(schedule(berlin), '2026-03-28T12:00:00.000Z');
    expect(spring.until).toBe('2026-03-29T01:30:00.000Z');
    const autumn = dutyAt(schedule(berlin), '2026-10-24T12:00:00.000Z');
    expect(autumn.until).toBe('2026-10-25T00:30:00.000Z');
    const fallen = dutyAt(schedule(berlin), '2026-10-25T01:15:00.000Z');
    expect(fallen).toMatchObject({ since: '2026-10-25T00:30:00.000Z', until: '2026-10-26T01:30:00.000Z' });
  });

  it('is nobody before the first handoff, and in an empty rotation', () => {
    const first = { accountId: null, until: on(20, '09:00') };
    expect(dutyAt(schedule(), on(19, '12:00'))).toMatchObject(first);
    const empty = schedule({ accountIds: [] }, [override('usr_eve', on(20, '12:00'), on(20, '14:00'))]);
    expect(dutyAt(empty, on(20, '13:00'))).toMatchObject({ accountId: 'usr_eve', until: on(20, '14:00') });
    expect(dutyAt(empty, on(20, '14:00'))).toEqual({
      accountId: null,
      since: on(20, '14:00'),
      until: null,
    });
  });

  it('is the same until it changes, and another before it began, whatever is overridden', () => {
    const apart = fc
      .array(fc.tuple(fc.nat(90), fc.integer({ min: 5, max: 600 }), fc.constantFrom('ann', 'ben', 'eve')), {
        maxLength: 6,
      })
      .map((parts) => {
        let from = on(20, '08:00');
        return parts.map(([pause, length, name]) => {
          const startsAt = plus(from, pause * minuteMs);
          from = plus(startsAt, length * minuteMs);
          return override(`usr_${name}`, startsAt, from);
        });
      });
    fc.assert(
      fc.property(apart, fc.nat(60 * 60), (overrides, minutes) => {
        const over = schedule({}, overrides);
        const at = plus(on(20, '09:00'), minutes * minuteMs);
        const who = (time: Instant): string | null => shiftAt(over, time)?.accountId ?? null;
        const { accountId, since, until } = dutyAt(over, at);
        expect(accountId).toBe(who(at));
        expect(since <= at).toBe(true);
        if (until === null) throw new Error('It never changes');
        for (let time = since; time < until; time = plus(time, 47 * minuteMs))
          if (time >= plus(at, -hourMs)) expect(who(time)).toBe(accountId);
        expect(who(until)).not.toBe(accountId);
        if (since > plus(at, -hourMs)) expect(who(plus(since, -1))).not.toBe(accountId);
      }),
      { numRuns: 50 },
    );
  });
});
