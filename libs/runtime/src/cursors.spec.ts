import { Refused } from '@carillon/eventing';
import { byCreation, Cursors, listPageOf, readSortKey, writeCursor } from './cursors';

describe('a cursor', () => {
  const key = Buffer.alloc(32, 1);
  const last = { at: '2026-11-20T09:00:00.123Z', id: 'tok_1' };
  const cursor = writeCursor(key, ['usr_1', null, 'active'], last);
  const refusal = new Refused('list.invalid_cursor');

  it('continues after the previous page', () =>
    expect(readSortKey(key, ['usr_1', null, 'active'], cursor)).toEqual(last));

  it('is refused for another list, with another key, and when altered', () => {
    expect(() => readSortKey(key, ['usr_2', null, 'active'], cursor)).toThrow(refusal);
    expect(() => readSortKey(key, ['usr_1', null, 'all'], cursor)).toThrow(refusal);
    expect(() => readSortKey(Buffer.alloc(32, 2), ['usr_1', null, 'active'], cursor)).toThrow(refusal);
    expect(() => readSortKey(key, ['usr_1', null, 'active'], `A${cursor.slice(1)}`)).toThrow(refusal);
    expect(() => readSortKey(key, ['usr_1', null, 'active'], 'nonsense')).toThrow(refusal);
  });
});

describe('a list', () => {
  process.env['CARILLON_PEPPER'] = Buffer.alloc(32, 7).toString('base64');
  const cursors = new Cursors('bell', byCreation);
  const bells = [3, 2, 1].map((n) => ({ id: `bell_${n}`, createdAt: `2026-11-20T09:00:0${n}.000Z` }));

  it('has a next cursor when there are more entries than the limit', () => {
    const { limit, after, of } = cursors.asked(['usr_1'], { limit: 2 });
    expect([limit, after]).toEqual([2, undefined]);
    const { items, nextCursor } = of(bells);
    expect(items).toEqual(bells.slice(0, 2));
    const next = cursors.asked(['usr_1'], { limit: 2, cursor: nextCursor! });
    expect(next.after).toEqual({ at: '2026-11-20T09:00:02.000Z', id: 'bell_2' });
    expect(next.of(bells.slice(2))).toEqual({ items: bells.slice(2), nextCursor: null });
    expect(next.of(bells.slice(2), true).nextCursor).not.toBeNull();
  });

  it('refuses a cursor of another list', () => {
    const { nextCursor } = cursors.asked(['usr_1'], { limit: 2 }).of(bells);
    const others = new Cursors('whistle', byCreation);
    expect(() => others.asked(['usr_1'], { cursor: nextCursor! })).toThrow(
      new Refused('list.invalid_cursor'),
    );
  });
});

describe('a page', () => {
  const page = (items: string[], more: boolean) => listPageOf(items, more, (last) => `after ${last}`);
  const large = (name: string, bytes: number): string => name.padEnd(bytes, '.');

  it('that is the last has no next cursor', () => {
    expect(page([], false)).toEqual({ items: [], nextCursor: null });
    expect(page(['a', 'b'], false)).toEqual({ items: ['a', 'b'], nextCursor: null });
  });

  it('with a successor has a next cursor, after its last entry', () =>
    expect(page(['a', 'b'], true)).toEqual({ items: ['a', 'b'], nextCursor: 'after b' }));

  it('ends before 512 KiB, and the next page continues there', () => {
    const items = Array.from({ length: 10 }, (_, n) => large(`${n}`, 100_000));
    expect(page(items, false)).toEqual({ items: items.slice(0, 5), nextCursor: `after ${items[4]}` });
    expect(page(['語'.repeat(100_000), '語'.repeat(100_000)], false).items).toHaveLength(1);
  });

  it('has one entry even when that is too large', () =>
    expect(page([large('a', 600_000), 'b'], false).items).toHaveLength(1));
});
