import { type ForgottenRow, ForgottenRows } from './forgotten-rows';

/** The rows of a table that contain text of accounts. */
export interface TextRows {
  readonly table: string;
  /** SQL for each column with text: its value without the text, as in rows that are rebuilt without the key. */
  readonly cleared: Readonly<Record<string, string>>;
  /** Whether `sender_id` names the account whose text a row has, if that is not its `account_id`. */
  readonly shared: boolean;
}

/**
 * Clears the text of deleted accounts from the rows of a projection. Readers see them without text as soon as the
 * projection has enqueued the account (`readableText`). A projection that writes text which it has read from such a row
 * must lock the row as it reads it.
 */
export abstract class ForgottenText extends ForgottenRows {
  protected abstract readonly rows: readonly TextRows[];

  protected get changes(): readonly ForgottenRow[] {
    return this.rows.map(clearing);
  }
}

/**
 * SQL for readers: the columns of the table with text, without that of accounts that are still in the queue, and the
 * join that it needs.
 */
export function readableText(
  queue: string,
  { cleared, shared }: TextRows,
): { readonly columns: string; readonly join: string } {
  const columns = Object.entries(cleared).map(
    ([column, value]) => `CASE WHEN forgotten.here THEN ${value} ELSE ${column} END AS ${column}`,
  );
  return {
    columns: columns.join(', '),
    join: `LEFT JOIN LATERAL (
        SELECT true AS here FROM timers
        WHERE timers.queue = '${queue}' AND timers.key = ${shared ? 'coalesce(sender_id, account_id)' : 'account_id'}
      ) forgotten ON true`,
  };
}

function clearing({ table, cleared, shared }: TextRows): ForgottenRow {
  const whose = shared ? `((account_id = $1 AND sender_id IS NULL) OR sender_id = $1)` : `account_id = $1`;
  const [columns, values] = [Object.keys(cleared), Object.values(cleared)];
  return {
    due: `${table} WHERE ${whose} AND ROW(${columns.join(', ')}) IS DISTINCT FROM ROW(${values.join(', ')})`,
    change: `UPDATE ${table} SET ${columns.map((column) => `${column} = ${cleared[column]}`).join(', ')}`,
  };
}
