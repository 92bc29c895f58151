import { fingerprint } from './canonical';

type Column<Name extends string> = readonly [name: Name, direction: 'asc' | 'desc'];

/** A row with the columns that a list is sorted by. They have a value in every row: NULL compares with nothing. */
export type SortedRow<Name extends string> = Readonly<Record<Name, string | number | boolean | Date>>;

/** Where a row is in a list: its values of these columns, as the text that Postgres takes for parameters. */
export type SortKey<Name extends string> = Readonly<Record<Name, string>>;

/** A condition of a statement, with its parameters. */
export interface Condition {
  readonly text: string;
  readonly values: readonly string[];
}

/** How a list is sorted: gives `ORDER BY`, the condition of the next page, the version of cursors and the index. */
export class SortOrder<Name extends string> {
  constructor(
    private readonly columns: readonly Column<Name>[],
    private readonly prefix = '',
  ) {}

  /** The same order in a statement where the table, or a subquery, has this alias. */
  of(alias: string): SortOrder<Name> {
    return new SortOrder(this.columns, `${alias}.`);
  }

  /** For `ORDER BY`. */
  get by(): string {
    return this.columns
      .map(([name, direction]) => `${this.prefix}${name}${direction === 'desc' ? ' DESC' : ''}`)
      .join(', ');
  }

  /** The last columns of an index that has the rows in this order, as `pg_indexes` shows them. */
  get index(): string {
    return new SortOrder(this.columns).by;
  }

  /** Another one for other columns, another sequence of them or other directions. */
  get version(): string {
    return fingerprint(this.columns);
  }

  keyOf(row: SortedRow<Name>): SortKey<Name> {
    return this.keyFrom(
      this.columns.map(([name]) => {
        const value: unknown = row[name];
        return value instanceof Date ? value.toISOString() : String(value);
      }),
    );
  }

  /** The key with these values, in the sequence of the columns. */
  keyFrom(values: readonly string[]): SortKey<Name> {
    return Object.fromEntries(this.columns.map(([name], index) => [name, values[index]])) as SortKey<Name>;
  }

  valuesOf(key: SortKey<Name>): string[] {
    return this.columns.map(([name]) => key[name]);
  }

  /** Holds for the rows after the key, and for every row without a key. Its parameters begin with `$<first>`. */
  after(key: SortKey<Name> | undefined, first: number): Condition {
    return key ? { text: this.beyond(first), values: this.valuesOf(key) } : { text: 'true', values: [] };
  }

  /** Rows in memory, sorted, from after the key on. */
  sorted<Row extends Readonly<Record<Name, string | number>>>(
    rows: readonly Row[],
    after: SortKey<Name> | undefined,
  ): Row[] {
    return rows
      .filter((row) => !after || this.compare(row, after) > 0)
      .sort((one, other) => this.compare(one, this.keyOf(other)));
  }

  private beyond(first: number): string {
    const columns = this.columns.map(([name, direction], index) => ({
      name: this.prefix + name,
      sign: direction === 'desc' ? '<' : '>',
      value: `$${first + index}`,
    }));
    const sign = columns[0]?.sign;
    if (columns.every((column) => column.sign === sign))
      return `(${columns.map(({ name }) => name).join(', ')}) ${sign} (${columns.map(({ value }) => value).join(', ')})`;
    // `a <= $1 AND (a < $1 OR …)` and not `a < $1 OR (a = $1 AND …)`: an index answers its first part.
    return columns.reduceRight(
      (rest, { name, sign, value }) =>
        rest === ''
          ? `${name} ${sign} ${value}`
          : `(${name} ${sign}= ${value} AND (${name} ${sign} ${value} OR ${rest}))`,
      '',
    );
  }

  private compare(row: Readonly<Record<Name, string | number>>, key: SortKey<Name>): number {
    for (const [name, direction] of this.columns) {
      const value = row[name];
      const other = typeof value === 'number' ? Number(key[name]) : key[name];
      if (value !== other) return value < other === (direction === 'asc') ? -1 : 1;
    }
    return 0;
  }
}

/** `sortedBy(['created_at', 'desc'], ['item_id', 'desc'])`. The columns together differ in any two rows of a list. */
export const sortedBy = <const Name extends string>(...columns: readonly Column<Name>[]): SortOrder<Name> =>
  new SortOrder(columns);
