import fc from 'fast-check';
import { sortedBy } from './sort-order';

const newestFirst = sortedBy(['created_at', 'desc'], ['item_id', 'desc']);
const pinnedFirst = sortedBy(['pinned', 'desc'], ['name', 'asc'], ['item_id', 'desc']);
const last = { created_at: new Date('2026-11-20T09:00:00.123Z'), item_id: 'item_7' };

describe('the order of a list', () => {
  it('gives ORDER BY, the next rows and the columns of the index', () => {
    const order = newestFirst.of('i');
    expect(order.by).toBe('i.created_at DESC, i.item_id DESC');
    expect(order.index).toBe('created_at DESC, item_id DESC');
    expect(order.after(order.keyOf(last), 3)).toEqual({
      text: '(i.created_at, i.item_id) < ($3, $4)',
      values: ['2026-11-20T09:00:00.123Z', 'item_7'],
    });
    expect(order.after(undefined, 3)).toEqual({ text: 'true', values: [] });
    expect(sortedBy(['name', 'asc'], ['id', 'asc']).after({ name: 'a', id: '1' }, 1).text).toBe(
      '(name, id) > ($1, $2)',
    );
  });

  it('compares column by column where the directions differ', () => {
    expect(pinnedFirst.by).toBe('pinned DESC, name, item_id DESC');
    expect(pinnedFirst.after(pinnedFirst.keyOf({ pinned: true, name: 'a', item_id: 'item_7' }), 1)).toEqual({
      text: '(pinned <= $1 AND (pinned < $1 OR (name >= $2 AND (name > $2 OR item_id < $3))))',
      values: ['true', 'a', 'item_7'],
    });
  });

  it('has another version when a column, the sequence or a direction is another', () => {
    const versions = [
      newestFirst,
      sortedBy(['created_at', 'desc'], ['item_id', 'asc']),
      sortedBy(['item_id', 'desc'], ['created_at', 'desc']),
      sortedBy(['created_at', 'desc']),
      sortedBy(['read_at', 'desc'], ['item_id', 'desc']),
    ].map((order) => order.version);
    expect(new Set(versions).size).toBe(versions.length);
    expect(newestFirst.of('i').version).toBe(newestFirst.version);
  });

  it('sorts rows in memory, and continues after any key', () => {
    const order = sortedBy(['at', 'desc'], ['name', 'asc'], ['id', 'desc']);
    const row = fc.record({
      at: fc.integer({ min: 8, max: 11 }),
      name: fc.constantFrom('a', 'B', ''),
      id: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ id }) => id }), fc.nat(), (rows, from) => {
        const inOrder = [...rows].sort(
          (one, other) =>
            other.at - one.at ||
            (one.name < other.name ? -1 : one.name > other.name ? 1 : 0) ||
            other.id - one.id,
        );
        expect(order.sorted(rows, undefined)).toEqual(inOrder);
        const cut = rows.length > 0 ? from % rows.length : 0;
        const end = inOrder[cut];
        if (end) expect(order.sorted(rows, order.keyOf(end))).toEqual(inOrder.slice(cut + 1));
      }),
    );
  });
});
