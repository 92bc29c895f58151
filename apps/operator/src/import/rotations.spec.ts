import { hasSameTurns, type Turns } from './rotations';

const weekly: Turns = {
  userIds: ['ann', 'bob', 'cem'],
  period: 'weekly',
  handoffAt: '09:00',
  timezone: 'Europe/Berlin',
  startsAt: '2026-03-23T08:00:00.000Z',
};

describe('two rotations', () => {
  it.each<[string, Partial<Turns>]>([
    [
      'one week later, in summer time',
      { userIds: ['bob', 'cem', 'ann'], startsAt: '2026-03-30T07:00:00.000Z' },
    ],
    ['four weeks later', { userIds: ['bob', 'cem', 'ann'], startsAt: '2026-04-20T07:00:00.000Z' }],
    ['a whole round later', { startsAt: '2026-04-13T07:00:00.000Z' }],
    ['one week earlier', { userIds: ['cem', 'ann', 'bob'], startsAt: '2026-03-16T08:00:00.000Z' }],
  ])('have the same turns when one begins %s with who is on call then', (_, change) => {
    expect(hasSameTurns(weekly, weekly)).toBe(true);
    expect(hasSameTurns(weekly, { ...weekly, ...change })).toBe(true);
    expect(hasSameTurns({ ...weekly, ...change }, weekly)).toBe(true);
  });

  it.each<[string, Partial<Turns>]>([
    ['somebody else is on call at the same time', { userIds: ['bob', 'cem', 'ann'] }],
    ['the same people begin a week later', { startsAt: '2026-03-30T07:00:00.000Z' }],
    ['they follow each other in another order', { userIds: ['ann', 'cem', 'bob'] }],
    ['somebody is missing', { userIds: ['ann', 'bob'] }],
    ['they hand over on another weekday', { startsAt: '2026-03-24T08:00:00.000Z' }],
    ['they hand over every day', { period: 'daily' }],
    ['they hand over at another time', { handoffAt: '10:00' }],
    ['they are in another zone', { timezone: 'Europe/Paris' }],
  ])('have other turns when %s', (_, change) => {
    expect(hasSameTurns(weekly, { ...weekly, ...change })).toBe(false);
    expect(hasSameTurns({ ...weekly, ...change }, weekly)).toBe(false);
  });

  it('by the day have the same turns across a clock change that skips the handoff', () => {
    const daily: Turns = {
      userIds: ['ann', 'bob'],
      period: 'daily',
      handoffAt: '02:30',
      timezone: 'America/New_York',
      startsAt: '2026-03-08T07:30:00.000Z',
    };
    const later = { ...daily, startsAt: '2026-03-09T06:30:00.000Z' };
    expect(hasSameTurns(daily, { ...later, userIds: ['bob', 'ann'] })).toBe(true);
    expect(hasSameTurns(daily, later)).toBe(false);
  });
});
