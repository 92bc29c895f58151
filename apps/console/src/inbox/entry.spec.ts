import { type Entry, merged, withHead } from './entry';

const entry = (key: string, at: string): Entry => ({
  key,
  kind: 'notification',
  href: '',
  source: '',
  title: key,
  preview: '',
  at,
  isOpen: false,
});
const keys = (entries: readonly Entry[]): string => entries.map(({ key }) => key).join('');

describe('one list of several', () => {
  it('is sorted by time, newest first', () => {
    const { entries, next } = merged([
      { entries: [entry('d', '4'), entry('a', '1')], isWhole: true },
      { entries: [entry('c', '3'), entry('b', '2')], isWhole: true },
    ]);
    expect([keys(entries), next]).toEqual(['dcba', undefined]);
  });

  it('shows nothing older than what a list that has more was loaded to, and loads that one on', () => {
    const { entries, next } = merged([
      { entries: [entry('f', '6'), entry('a', '1')], isWhole: true },
      { entries: [entry('e', '5'), entry('d', '4')], isWhole: false },
      { entries: [entry('c', '3'), entry('b', '2')], isWhole: false },
    ]);
    expect([keys(entries), next]).toEqual(['fed', 1]);
  });

  it('loads a list that is empty so far only when nothing newer has more', () => {
    expect(merged([{ entries: [], isWhole: false }]).next).toBe(0);
    expect(
      merged([
        { entries: [], isWhole: false },
        { entries: [entry('a', '1')], isWhole: false },
      ]).next,
    ).toBe(1);
  });

  it('keeps entries of the same moment in one order', () => {
    const same = [entry('b', '1'), entry('a', '1')];
    expect(keys(merged([{ entries: same, isWhole: true }]).entries)).toBe('ab');
    expect(keys(merged([{ entries: [...same].reverse(), isWhole: true }]).entries)).toBe('ab');
  });
});

describe('a newer first page', () => {
  const ids = (...all: string[]) => all.map((id) => ({ id, isNew: false }));

  it('comes before what is loaded, each item once and as it is now', () => {
    const head = [
      { id: 'c', isNew: true },
      { id: 'b', isNew: true },
    ];
    expect(withHead(ids('b', 'a'), head)).toEqual([...head, { id: 'a', isNew: false }]);
  });

  it('changes nothing the second time', () => {
    const once = withHead(ids('b', 'a'), ids('c', 'b')) ?? [];
    expect(withHead(once, ids('c', 'b'))).toEqual(once);
  });

  it('does not hide a gap', () => expect(withHead(ids('a'), ids('d', 'c'))).toBeUndefined());

  it('is all there is when nothing was loaded', () => expect(withHead([], ids('a'))).toEqual(ids('a')));
});
