import { type Roster, whom } from './roster';

const roster = (
  members: readonly string[],
  current: string | null,
  turn: string | null = current,
): Roster => ({
  members,
  current,
  turn,
  devices: new Map(),
});
const abc = ['a', 'b', 'c'];

describe('the next person', () => {
  it('is the member after the last one notified', () => {
    expect(whom('next', roster(abc, 'a'), ['a'])).toEqual(['b']);
    expect(whom('next', roster(abc, 'a'), ['b'])).toEqual(['c']);
  });

  it('is the first one behind the last', () => expect(whom('next', roster(abc, 'c'), ['c'])).toEqual(['a']));

  it('is nobody who was notified before', () =>
    expect(whom('next', roster(abc, 'c'), ['a', 'c'])).toEqual(['b']));

  it('is everybody when all were notified', () =>
    expect(whom('next', roster(abc, 'a'), ['b', 'c', 'a'])).toEqual(abc));

  it('counts from the last of the rotation when others were notified since', () => {
    expect(whom('next', roster(abc, 'x', 'a'), ['b', 'x'])).toEqual(['c']);
    expect(whom('next', roster(['b', 'c'], 'b'), ['c', 'gone'])).toEqual(['b']);
  });

  it('counts from whose turn it is when nobody of the rotation was notified', () =>
    expect(whom('next', roster(abc, 'x', 'b'), ['x'])).toEqual(['c']));

  it('is the member on call when nobody of the rotation and not that member was notified', () => {
    expect(whom('next', roster(['b', 'c'], 'b'), ['gone'])).toEqual(['b']);
    expect(whom('next', roster(abc, 'x', 'b'), ['gone'])).toEqual(['x']);
  });

  it('is the first before the first turn', () => expect(whom('next', roster(abc, null), [])).toEqual(['a']));

  it('is whose turn it is when there is no other', () =>
    expect(whom('next', roster(['a'], 'x', 'a'), ['x'])).toEqual(['a']));

  it('is nobody of an empty rotation', () => expect(whom('next', roster([], null), ['a'])).toEqual([]));
});

describe('the first recipients', () => {
  it('is the member on call, even by an override', () =>
    expect(whom('current', roster(abc, 'x', 'a'), [])).toEqual(['x']));
  it('is everybody when nobody is', () => expect(whom('current', roster(abc, null), [])).toEqual(abc));
});
