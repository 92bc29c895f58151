import { Database } from '@carillon/event-store';
import { sortedBy } from '@carillon/signing';
import { startPostgres, type TestPostgres } from '@carillon/testkit';
import fc from 'fast-check';
import { Cursors } from './cursors';

interface Bell {
  readonly id: string;
  readonly name: string;
  readonly rings: number;
  readonly loud: boolean;
  readonly made_at: Date;
}

let postgres: TestPostgres;
let database: Database;
beforeAll(async () => {
  process.env['CARILLON_PEPPER'] = Buffer.alloc(32, 7).toString('base64');
  postgres = await startPostgres();
  database = await Database.open({ url: postgres.url, schema: 'bells', migrations: [] });
  await database.query(
    `CREATE TABLE bells (id text COLLATE "C", name text COLLATE "C", rings integer, loud boolean, made_at timestamptz)`,
  );
}, 60_000);
afterAll(async () => {
  await database?.close();
  await postgres?.stop();
});

/** Few values, so that many rows have the same. */
const bells: fc.Arbitrary<Bell[]> = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 2, unit: fc.constantFrom(...'aZ0_é') }),
    name: fc.constantFrom('', 'a', 'B', "o'clock"),
    rings: fc.integer({ min: -1, max: 1 }),
    loud: fc.boolean(),
    made_at: fc.constantFrom(...[0, 1, 999].map((ms) => new Date(1_763_600_000_000 + ms))),
  }),
  { selector: ({ id }) => id, maxLength: 25 },
);

type Column = [name: keyof Bell, direction: 'asc' | 'desc'];
const directions = fc.array(fc.constantFrom<'asc' | 'desc'>('asc', 'desc'), { minLength: 5, maxLength: 5 });

/** Some columns in any sequence, and the id at last, all in one direction or in several. */
const orders: fc.Arbitrary<Column[]> = fc
  .tuple(
    fc.shuffledSubarray<keyof Bell>(['name', 'rings', 'loud', 'made_at']),
    fc.oneof(
      fc.constant(Array<'asc'>(5).fill('asc')),
      fc.constant(Array<'desc'>(5).fill('desc')),
      directions,
    ),
  )
  .map(([names, to]) => [...names, 'id' as const].map((name, index): Column => [name, to[index] ?? 'asc']));

const sortedInMemory = (rows: readonly Bell[], columns: readonly Column[]): Bell[] =>
  [...rows].sort((one, other) => {
    for (const [name, direction] of columns) {
      const sign = direction === 'asc' ? 1 : -1;
      if (one[name] < other[name]) return -sign;
      if (one[name] > other[name]) return sign;
    }
    return 0;
  });

it(
  'pages of a list have every row once, in the order of the list, whatever the order and however many are equal',
  () =>
    fc.assert(
      fc.asyncProperty(bells, orders, fc.integer({ min: 1, max: 4 }), async (rows, columns, limit) => {
        await database.query(`TRUNCATE bells`);
        await database.query(`INSERT INTO bells SELECT * FROM json_populate_recordset(NULL::bells, $1)`, [
          JSON.stringify(rows),
        ]);
        const order = sortedBy(...columns).of('b');
        const cursors = new Cursors('bells', order);
        const seen: Bell[] = [];
        let cursor: string | undefined;
        do {
          const page = cursors.asked(null, { limit, cursor });
          const after = page.after(2);
          const found = await database.query<Bell>(
            `SELECT * FROM bells b WHERE ${after.text} ORDER BY ${order.by} LIMIT $1`,
            [limit + 1, ...after.values],
          );
          const { items, nextCursor } = page.of(found, found);
          seen.push(...items);
          cursor = nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(seen).toEqual(sortedInMemory(rows, columns));
      }),
      { numRuns: 150 },
    ),
  60_000,
);
