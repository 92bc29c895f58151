import { explain } from '../../rotation/explanation';
import type { RotationSchedule } from '../../rotation/rotation';
import type { Override } from '../../rotation/shifts';
import { inWords } from './in-words';

const names: Readonly<Record<string, string>> = { usr_ann: 'Ann', usr_ben: 'Ben', usr_eve: 'Eve' };
const rotation: RotationSchedule = {
  accountIds: ['usr_ann', 'usr_ben'],
  period: 'daily',
  handoffAt: '02:30',
  timezone: 'Europe/Berlin',
  anchor: '2026-03-27',
};
const told = (at: string, given: RotationSchedule = rotation, ...overrides: Override[]): string =>
  inWords(explain({ rotation: given, overrides }, at), given, (accountId) => names[accountId] ?? '');

describe('why somebody is on call, in words', () => {
  it('is their turn', () =>
    expect(told('2026-04-02T12:00:00.000Z')).toBe(
      'Ann is on call from 2026-04-02 02:30 Europe/Berlin to 2026-04-03 02:30 Europe/Berlin: ' +
        'it is their turn, number 6 of the daily rotation (the first is 0).',
    ));
  it('is an override, and whose turn it is', () => {
    const over = {
      overrideId: 'ovr_1',
      accountId: 'usr_eve',
      startsAt: '2026-04-02T12:00:00.000Z',
      endsAt: '2026-04-02T14:00:00.000Z',
    };
    expect(told('2026-04-02T12:00:00.000Z', rotation, over)).toBe(
      'Eve is on call from 2026-04-02 14:00 Europe/Berlin to 2026-04-02 16:00 Europe/Berlin by an override, ' +
        'instead of Ann, whose turn it is.',
    );
    expect(told('2026-04-02T12:00:00.000Z', rotation, { ...over, accountId: 'usr_ann' })).not.toContain(
      'instead of',
    );
  });
  it('tells of the handoff that the clocks going forward have moved', () =>
    expect(told('2026-03-29T12:00:00.000Z')).toContain(
      'The clock leaves 02:30 out on that day, so the handoff that began it is 60 minutes later.',
    ));
  it('tells of the handoff that comes twice when the clocks go back', () =>
    expect(told('2026-10-24T12:00:00.000Z')).toContain(
      'The clock shows 02:30 twice on that day, and the handoff that ends it is at the first, 60 minutes before the second.',
    ));
  it('is nobody before the first turn, or when nobody is left', () => {
    expect(told('2026-03-01T12:00:00.000Z')).toBe(
      'Nobody is on call at 2026-03-01 13:00 Europe/Berlin: the first turn begins at 2026-03-27 02:30 Europe/Berlin.',
    );
    expect(told('2026-04-02T12:00:00.000Z', { ...rotation, accountIds: [] })).toBe(
      'Nobody is on call at 2026-04-02 14:00 Europe/Berlin: nobody is left who takes turns.',
    );
  });
});
