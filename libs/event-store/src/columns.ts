/** The Postgres types that columns may have, and the values that they accept. */
interface ColumnTypes {
  readonly text: string;
  /** As text, which distinguishes JSON's null from SQL's NULL. */
  readonly jsonb: string;
  readonly boolean: boolean;
  readonly smallint: number;
  readonly integer: number;
  readonly bigint: bigint | number | string;
  readonly numeric: bigint | number | string;
  readonly timestamptz: string | Date;
}

type Shape = Readonly<Record<string, keyof ColumnTypes>>;

/** A row with these columns. */
type RowOf<Columns extends Shape> = {
  readonly [Name in keyof Columns]: ColumnTypes[Columns[Name]] | null;
};

interface ColumnsOptions {
  /** The number of the first parameter, if others precede it. */
  readonly from?: number;
  /** The alias of the rows in the statement. */
  readonly as?: string;
}

/** Rows for one statement: its text is the same for any number of rows, so that it is planned once. */
interface Columns {
  /** `id, at`: for `INSERT INTO things (…)`. */
  readonly names: string;
  /** `unnest($1::text[], $2::timestamptz[]) AS n (id, at)`: for `FROM …`. */
  readonly rows: string;
  /** The parameters, a list for each column. */
  readonly values: readonly (readonly unknown[])[];
}

/** The SQL expression for each field of a row. */
export type Selection<Row> = { readonly [Name in keyof Row]-?: string };

/** For `SELECT …`: a missing field of the row does not compile. */
export const selected = <Row>(selection: Selection<Row>): string =>
  Object.entries<string>(selection)
    .map(([name, from]) => `${from} AS ${name}`)
    .join(', ');

/**
 * Many rows as parameters of a statement, one per column. `rowOf` gives a row by column names, so that no column can be
 * forgotten or swapped.
 */
export function columns<const Named extends Shape, Item>(
  named: Named,
  items: Iterable<Item>,
  rowOf: (item: Item) => RowOf<Named>,
  { from = 1, as = 'n' }: ColumnsOptions = {},
): Columns {
  const names: readonly (keyof Named & string)[] = Object.keys(named);
  const values = names.map((): unknown[] => []);
  for (const item of items) {
    const row = rowOf(item);
    // An index loop: an iterator for each row would be the largest part of the cost.
    for (let index = 0; index < names.length; index += 1) values[index]!.push(row[names[index]!]);
  }
  const list = names.join(', ');
  const arrays = names.map((name, index) => `$${from + index}::${named[name]}[]`).join(', ');
  return { names: list, rows: `unnest(${arrays}) AS ${as} (${list})`, values };
}
