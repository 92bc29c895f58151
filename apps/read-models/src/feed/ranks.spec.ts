import type { FeedKind } from '@carillon/contracts';
import { instant } from '@carillon/eventing';
import fc from 'fast-check';
import { byAge, numbered, type Ordered, type Rank, type Total } from './ranks';

const line = (id: string, second: number, kind: FeedKind = 'notification'): Ordered => ({
  id,
  kind,
  at: instant(Date.UTC(2026, 10, 20, 9, 0, second)),
});

describe('the numbers of the feed', () => {
  it('go on where they ended', () => {
    const totals = new Map<FeedKind, Total>([
      ['notification', { lines: 5, latestAt: line('', 0).at }],
      ['response', { lines: 2, latestAt: line('', 3).at }],
    ]);
    const { ranked, moved, totals: after } = numbered(totals, [line('b', 2, 'response'), line('a', 1)], []);
    expect(ranked.map(({ id, rank, kindRank }) => [id, rank, kindRank])).toEqual([
      ['a', 8, 6],
      ['b', 9, 3],
    ]);
    expect(moved).toEqual([]);
    expect([...after]).toEqual([
      ['notification', { lines: 6, latestAt: line('', 1).at }],
      ['response', { lines: 3, latestAt: line('', 3).at }],
    ]);
  });

  it('make space for what comes late', () => {
    const totals = new Map([['notification' as const, { lines: 3, latestAt: line('c', 3).at }]]);
    const { ranked, moved } = numbered(totals, [line('b', 2)], [line('c', 3)]);
    expect(ranked).toMatchObject([{ id: 'b', rank: 3, kindRank: 3 }]);
    expect(moved).toMatchObject([{ id: 'c', rank: 4, kindRank: 4 }]);
  });

  it('are those of the sorted feed, in whatever order and batches its lines come', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom<FeedKind>('notification', 'response')),
          { maxLength: 40 },
        ),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 40, maxLength: 40 }),
        (given, sizes) => {
          const lines = given.map(([second, kind], index) =>
            line(`id${String(index % 17)}-${index}`, second, kind),
          );
          const rows = new Map<string, Ordered & Rank>();
          let totals: ReadonlyMap<FeedKind, Total> = new Map();
          for (let start = 0, batch = 0; start < lines.length; start += sizes[batch]!, batch += 1) {
            const fresh = lines.slice(start, start + sizes[batch]!);
            const oldest = [...fresh].sort(byAge)[0]!;
            const younger = [...rows.values()].filter((row) => byAge(row, oldest) > 0);
            const result = numbered(totals, fresh, younger);
            for (const row of [...result.ranked, ...result.moved]) rows.set(row.id, row);
            totals = result.totals;
          }
          const sorted = [...rows.values()].sort(byAge);
          expect(sorted.map(({ rank }) => rank)).toEqual(sorted.map((_, index) => index + 1));
          for (const kind of ['notification', 'response'] as const) {
            const of = sorted.filter((row) => row.kind === kind);
            expect(of.map(({ kindRank }) => kindRank)).toEqual(of.map((_, index) => index + 1));
            const last = of.at(-1);
            expect(totals.get(kind)).toEqual(last && { lines: of.length, latestAt: last.at });
          }
        },
      ),
    ));
});
