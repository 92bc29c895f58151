import { ForgottenRows } from './forgotten-rows';
import type { DueRows } from './row-batches';

/** The rows of a table that contain text of accounts. */
export interface TextRows<Column extends string = string> {
  readonly table: string;
  /** SQL for each column with text: its value without the text, as in rows that are rebuilt without the key. */
  readonly cleared: Readonly<Record<Column, string>>;
  /** The columns with the account whose text a row has: the first one that is not null. */
  readonly authors: readonly string[];
  /** SQL that is true for rows with text, and that an index of the authors has as its condition. */
  readonly withText?: string;
}

/**
 * Clears the text of deleted accounts from the rows of a projection. Readers see them without text as soon as the
 * projection has enqueued the account (`readableText`). A projection that writes text which it has read from such a row
 * must lock the row as it reads it.
 */
export abstract class ForgottenText extends ForgottenRows {
  protected abstract readonly rows: readonly TextRows[];

  protected get changes(): readonly DueRows[] {
    return this.rows.map(clearing);
  }
}

/** SQL for readers of a table: its text without that of accounts that are still in the queue. */
export interface ReadableText<Column extends string> {
  /** The value of each column with text. */
  readonly of: Readonly<Record<Column, string>>;
  /** All of them, each named by its column. */
  readonly columns: string;
  /** The join that they need. */
  readonly join: string;
  /** Whether the text of a row is hidden: null or true. */
  readonly isHidden: string;
}

/** `as` names the join, where a statement has several. */
export function readableText<Column extends string>(
  queue: string,
  { cleared, authors }: TextRows<Column>,
  as = 'forgotten',
): ReadableText<Column> {
  const isHidden = `${as}.here`;
  const columns = Object.entries<string>(cleared).map(
    ([column, value]) => [column, `CASE WHEN ${isHidden} THEN ${value} ELSE ${column} END`] as const,
  );
  return {
    of: Object.fromEntries(columns) as Record<Column, string>,
    columns: columns.map(([column, value]) => `${value} AS ${column}`).join(', '),
    join: `LEFT JOIN LATERAL (
        SELECT true AS here FROM timers
        WHERE timers.queue = '${queue}' AND timers.key = coalesce(${authors.join(', ')})
      ) ${as} ON true`,
    isHidden,
  };
}

function clearing({ table, cleared, authors, withText = 'true' }: TextRows): DueRows {
  const whose = authors.map((author, index) =>
    [`${author} = $1`, ...authors.slice(0, index).map((other) => `${other} IS NULL`)].join(' AND '),
  );
  const [columns, values] = [Object.keys(cleared), Object.values(cleared)];
  return {
    due: `${table} WHERE (${whose.map((one) => `(${one})`).join(' OR ')}) AND ${withText}
      AND ROW(${columns.join(', ')}) IS DISTINCT FROM ROW(${values.join(', ')})`,
    change: `UPDATE ${table} SET ${columns.map((column) => `${column} = ${cleared[column]}`).join(', ')}`,
  };
}
