import { Refused } from '@carillon/eventing';
import { sortedBy } from '@carillon/signing';
import { Cursors, listPageOf } from './cursors';

describe('a list', () => {
  process.env['CARILLON_PEPPER'] = Buffer.alloc(32, 7).toString('base64');
  const newestFirst = sortedBy(['created_at', 'desc'], ['bell_id', 'desc']);
  const cursors = new Cursors('bell', newestFirst);
  const rows = [3, 2, 1].map((n) => ({
    bell_id: `bell_${n}`,
    created_at: new Date(`2026-11-20T09:00:0${n}.000Z`),
  }));
  const bells = rows.map((row) => row.bell_id);
  const cursor = cursors.asked(['usr_1'], { limit: 2 }).of(rows, bells).nextCursor!;
  const refusal = new Refused('list.invalid_cursor');

  it('has a next cursor when there are more entries than the limit', () => {
    const { limit, key, of } = cursors.asked(['usr_1'], { limit: 2 });
    expect([limit, key]).toEqual([2, undefined]);
    expect(of(rows, bells)).toEqual({ items: bells.slice(0, 2), nextCursor: cursor });
    const next = cursors.asked(['usr_1'], { limit: 2, cursor });
    expect(next.key).toEqual({ created_at: '2026-11-20T09:00:02.000Z', bell_id: 'bell_2' });
    expect(next.of(rows.slice(2), bells.slice(2))).toEqual({ items: bells.slice(2), nextCursor: null });
    expect(next.of(rows.slice(2), bells.slice(2), true).nextCursor).not.toBeNull();
  });

  it('refuses a cursor of another filter, list, order or pepper, and an altered one', () => {
    const read = (cursor: string, filter = ['usr_1'], list = cursors) => list.asked(filter, { cursor });
    expect(() => read(cursor, ['usr_2'])).toThrow(refusal);
    expect(() => read(cursor, ['usr_1'], new Cursors('whistle', newestFirst))).toThrow(refusal);
    expect(() => read(`A${cursor.slice(1)}`)).toThrow(refusal);
    expect(() => read('nonsense')).toThrow(refusal);
    process.env['CARILLON_PEPPER'] = Buffer.alloc(32, 8).toString('base64');
    const peppered = new Cursors('bell', newestFirst);
    process.env['CARILLON_PEPPER'] = Buffer.alloc(32, 7).toString('base64');
    expect(() => read(cursor, ['usr_1'], peppered)).toThrow(refusal);
  });

  it.each([
    ['direction', sortedBy(['created_at', 'desc'], ['bell_id', 'asc'])],
    ['sequence of columns', sortedBy(['bell_id', 'desc'], ['created_at', 'desc'])],
  ])('refuses a cursor made before the %s changed', (_, order) =>
    expect(() => new Cursors('bell', order).asked(['usr_1'], { cursor })).toThrow(refusal),
  );

  it('reads a cursor after a restart, and with another alias', () =>
    expect(new Cursors('bell', newestFirst.of('b')).asked(['usr_1'], { cursor }).key).toEqual(
      newestFirst.keyOf(rows[1]!),
    ));
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
    expect(
      page(
        Array.from({ length: 9 }, () => '\u0001'.repeat(10_000)),
        false,
      ).items,
    ).toHaveLength(8);
  });

  it('has one entry even when that is too large', () =>
    expect(page([large('a', 600_000), 'b'], false).items).toHaveLength(1));
});
